/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line: every option sets what it should, and everything that is not the whole of a
 * value in its range is refused with the option named. The odd strings come from bug reports
 * against other tools, where each of them was taken for something.
 */
#include "unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/probe/options.h"

#define MS NANOSECONDS_PER_MILLISECOND
#define US NANOSECONDS_PER_MICROSECOND
#define S NANOSECONDS_PER_SECOND
#define ARGUMENTS_MAX 24

static struct options subject;
static const char *hosts[ARGUMENTS_MAX];
static struct error failure;
static char words[1024];

/* Parses a line of words: blanks divide, a lone "" is an empty argument, _ stands for a blank. */
static int parse(const char *line)
{
	char *arguments[ARGUMENTS_MAX] = {(char *)(uintptr_t) "fping-bench"};
	int count = 1;

	error_clear(&failure);
	(void)snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " ")) {
		if (strcmp(word, "\"\"") == 0)
			word[0] = '\0';
		for (char *at = strchr(word, '_'); at != NULL; at = strchr(at, '_'))
			*at = ' ';
		if (count < ARGUMENTS_MAX - 1)
			arguments[count++] = word;
	}
	return options_parse(&subject, count, arguments, hosts, &failure);
}

static const struct configuration *parsed(const char *line)
{
	int status = parse(line);

	UNIT_CHECK(status == 0, "%s: refused: %s", line, failure.text);
	return &subject.configuration;
}

static void test_switches(void)
{
	static const struct {
		const char *line;
		size_t member;
	} rows[] = {
		{"-f", offsetof(struct configuration, flood)},
		{"--flood", offsetof(struct configuration, flood)},
		{"-b", offsetof(struct configuration, allow_broadcast)},
		{"--broadcast", offsetof(struct configuration, allow_broadcast)},
		{"-L", offsetof(struct configuration, suppress_loopback)},
		{"--no-loopback", offsetof(struct configuration, suppress_loopback)},
		{"-q", offsetof(struct configuration, quiet)},
		{"--quiet", offsetof(struct configuration, quiet)},
		{"-v", offsetof(struct configuration, verbose)},
		{"--verbose", offsetof(struct configuration, verbose)},
		{"-D", offsetof(struct configuration, print_timestamps)},
		{"--timestamps", offsetof(struct configuration, print_timestamps)},
		{"-O", offsetof(struct configuration, print_outstanding)},
		{"--outstanding", offsetof(struct configuration, print_outstanding)},
		{"-n", offsetof(struct configuration, numeric)},
		{"--numeric", offsetof(struct configuration, numeric)},
		{"-j", offsetof(struct configuration, json)},
		{"--json", offsetof(struct configuration, json)},
		{"-m 1", offsetof(struct configuration, has_mark)},
		{"--sim loss=0.1", offsetof(struct configuration, has_simulation)},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		const char *base = (const char *)parsed("host");

		UNIT_CHECK(!*(const bool *)(base + rows[i].member), "%s: on by itself",
			   rows[i].line);
		base = (const char *)parsed(rows[i].line);
		UNIT_CHECK(*(const bool *)(base + rows[i].member), "%s: not set", rows[i].line);
	}
}

static void test_numbers(void)
{
	UNIT_UNSIGNED("-c", parsed("-c 3 h")->count, 3);
	UNIT_UNSIGNED("-c10000", parsed("-f -c10000 h")->count, 10000);
	UNIT_UNSIGNED("--count=", parsed("--count=4294967299 h")->count, UINT64_C(4294967299));
	UNIT_UNSIGNED("last one counts", parsed("-c 3 -c 4 h")->count, 4);
	UNIT_UNSIGNED("-l", parsed("-l 64 h")->preload, 64);
	UNIT_UNSIGNED("--preload", parsed("--preload 3 h")->preload, 3);
	UNIT_UNSIGNED("--depth", parsed("--depth 65536 h")->depth, 65536);
	UNIT_UNSIGNED("-A", parsed("-A h")->depth, 1);
	UNIT_UNSIGNED("--adaptive", parsed("--adaptive h")->depth, 1);
	UNIT_UNSIGNED("-s", parsed("-s 2048 h")->payload_bytes, 2048);
	UNIT_UNSIGNED("-s 0", parsed("--size=0 h")->payload_bytes, 0);
	UNIT_UNSIGNED("-s 65527", parsed("-s 65527 h")->payload_bytes, 65527);
	UNIT_SIGNED("-t", parsed("-t 255 h")->ttl, 255);
	UNIT_SIGNED("--ttl", parsed("--ttl 1 h")->ttl, 1);
	UNIT_SIGNED("-e", parsed("-e 0 h")->identifier, 0);
	UNIT_SIGNED("-e 0x", parsed("-e 0xffff h")->identifier, 65535);
	UNIT_SIGNED("--identifier", parsed("--identifier 7 h")->identifier, 7);
	UNIT_UNSIGNED("-m", parsed("-m 0x10 h")->mark, 16);
	UNIT_UNSIGNED("--mark", parsed("--mark 4294967295 h")->mark, UINT32_MAX);
	UNIT_UNSIGNED("-S", parsed("-S 65536 h")->send_buffer_bytes, 65536);
	UNIT_UNSIGNED("--send-buffer", parsed("--send-buffer 1 h")->send_buffer_bytes, 1);
	UNIT_NEAR("--rate", parsed("--rate 0.5 h")->rate_per_s, 0.5, 0);
	UNIT_SIGNED("-F is hexadecimal", parsed("-F 12 h")->flow_label, 0x12);
	UNIT_SIGNED("-F 0x", parsed("--flow-label 0xFFFFF h")->flow_label, 0xfffff);
	UNIT_SIGNED("-F 0", parsed("-F 0 h")->flow_label, 0);
	UNIT_UNSIGNED("--fragment-size", parsed("--fragment-size 8 h")->fragment_size, 8);
	UNIT_UNSIGNED("--fragment-size", parsed("--fragment-size 65512 h")->fragment_size, 65512);
	UNIT_UNSIGNED("no --fragment-size", parsed("h")->fragment_size, 0);
}

static void test_fragment_orders(void)
{
	static const char *const refused[] = {
		"--fragment-order odd h",    "--fragment-order Forward h",
		"--fragment-order \"\" h",   "--fragment-size 12 h",
		"--fragment-size 0 h",	     "--fragment-size 65520 h",
		"--fragment-size -8 h",	     "--fragment-size 64x h",
		"--fragment-size \"\" h",
	};

	UNIT_CHECK(!parsed("h")->has_fragment_order, "an order by itself");
	UNIT_SIGNED("forward", (int)parsed("--fragment-order forward h")->fragment_order,
		    FRAGMENT_FORWARD);
	UNIT_SIGNED("reverse", (int)parsed("--fragment-order=reverse h")->fragment_order,
		    FRAGMENT_REVERSE);
	UNIT_SIGNED("odd-even", (int)parsed("--fragment-order odd-even h")->fragment_order,
		    FRAGMENT_ODD_EVEN);
	UNIT_CHECK(subject.configuration.has_fragment_order, "an order was given");
	for (size_t i = 0; i < ARRAY_LENGTH(refused); i++)
		UNIT_CHECK(parse(refused[i]) == -ERROR_INVALID &&
				   strstr(failure.text, "--fragment-") != NULL,
			   "%s: %s", refused[i], failure.text);
}

static void test_times(void)
{
	UNIT_SIGNED("-i 0.5", parsed("-i 0.5 h")->interval_ns, 500 * MS);
	UNIT_SIGNED("-i .5", parsed("-i .5 h")->interval_ns, 500 * MS);
	UNIT_SIGNED("-i 250us", parsed("-i 250us h")->interval_ns, 250 * US);
	UNIT_SIGNED("-i 0.0005", parsed("-i 0.0005 h")->interval_ns, 500 * US);
	UNIT_SIGNED("-i 0.00999", parsed("-i 0.00999 h")->interval_ns, 9990 * US);
	UNIT_SIGNED("-i 0.05 is 50 ms", parsed("-i 0.05 h")->interval_ns, 50 * MS);
	UNIT_SIGNED("--interval=10ms", parsed("--interval=10ms h")->interval_ns, 10 * MS);
	UNIT_SIGNED("-i 1us", parsed("-i 1us h")->interval_ns, US);
	UNIT_SIGNED("-w 1", parsed("-w 1 h")->deadline_ns, S);
	UNIT_SIGNED("--deadline 0.05", parsed("--deadline 0.05 h")->deadline_ns, 50 * MS);
	UNIT_SIGNED("-W 1s", parsed("-W 1s h")->timeout_ns, S);
	UNIT_SIGNED("-W 2148", parsed("-W 2148 h")->timeout_ns, 2148 * S);
	UNIT_SIGNED("-W 100us", parsed("--timeout 100us h")->timeout_ns, 100 * US);
	UNIT_SIGNED("-W 0.4", parsed("-W 0.4 h")->timeout_ns, 400 * MS);
}

static void test_words(void)
{
	static const struct {
		const char *line;
		int traffic_class;
	} classes[] = {
		{"-Q 0", 0}, {"-Q 255", 255}, {"-Q 0xb8", 184}, {"--tos ef", 184}, {"-Q EF", 184},
		{"-Q cs0", 0}, {"-Q cs7", 224}, {"-Q af11", 40}, {"-Q AF43", 152}, {"-Q va", 176},
		{"-Q le", 4},
	};
	static const struct {
		const char *line;
		enum configuration_path_mtu mode;
	} modes[] = {
		{"-M do", PATH_MTU_DO}, {"-M want", PATH_MTU_WANT}, {"-M dont", PATH_MTU_DONT},
		{"-M probe", PATH_MTU_PROBE}, {"-M interface", PATH_MTU_INTERFACE},
		{"--path-mtu omit", PATH_MTU_OMIT},
	};
	const struct configuration *configuration;

	for (size_t i = 0; i < ARRAY_LENGTH(classes); i++)
		UNIT_SIGNED(classes[i].line, parsed(classes[i].line)->traffic_class,
			    classes[i].traffic_class);
	for (size_t i = 0; i < ARRAY_LENGTH(modes); i++)
		UNIT_SIGNED(modes[i].line, (int)parsed(modes[i].line)->path_mtu,
			    (int)modes[i].mode);
	configuration = parsed("-p abc h");
	UNIT_UNSIGNED("-p", configuration->fixed_pattern_length, 2);
	UNIT_UNSIGNED("-p", configuration->fixed_pattern[0], 0xab);
	UNIT_UNSIGNED("-p", configuration->fixed_pattern[1], 0x0c);
	UNIT_SIGNED("-p", (int)configuration->pattern, PAYLOAD_FIXED);
	UNIT_SIGNED("--payload", (int)parsed("--payload random h")->pattern, PAYLOAD_RANDOM);
	UNIT_SIGNED("--stamps", (int)parsed("--stamps user h")->stamps, STAMPS_USER);
	UNIT_SIGNED("--stamps", (int)parsed("--stamps rx h")->stamps, STAMPS_RX);
	UNIT_SIGNED("--stamps", (int)parsed("--stamps split h")->stamps, STAMPS_SPLIT);
	UNIT_TEXT("--clock", parsed("--clock raw h")->clock, "raw");
	UNIT_UNSIGNED("--warmup N", parsed("--warmup 100 h")->warmup_requests, 100);
	UNIT_SIGNED("--warmup N", parsed("--warmup 100 h")->warmup_ns, 0);
	UNIT_SIGNED("--warmup T", parsed("--warmup 1.5s h")->warmup_ns, 1500000000);
	UNIT_UNSIGNED("--warmup T", parsed("--warmup 250us h")->warmup_requests, 0);
	UNIT_TEXT("--clock", parsed("--clock tsc h")->clock, "tsc");
	UNIT_TEXT("--clock", parsed("--clock coarse h")->clock, "coarse");
	UNIT_TEXT("--transport", parsed("--transport ping h")->transport, "ping");
	UNIT_TEXT("--transport", parsed("--transport auto h")->transport, "auto");
	UNIT_TEXT("--targets", parsed("--targets - h")->targets_file, "-");
	UNIT_TEXT("--json=", parsed("--json=file h")->json_file, "file");
	UNIT_TEXT("--json=-", parsed("--json=- h")->json_file, NULL);
	UNIT_UNSIGNED("-4", parsed("-4 -4 h")->family, 4);
	UNIT_UNSIGNED("-6", parsed("--ipv6 h")->family, 6);
	configuration = parsed("-I v0 --interface 10.7.0.1 h");
	UNIT_UNSIGNED("-I", configuration->source_count, 2);
	UNIT_TEXT("-I", configuration->sources[1], "10.7.0.1");
	UNIT_NEAR("--sim", parsed("--sim loss=0.25 h")->simulation.loss, 0.25, 0);
}

static void test_hosts(void)
{
	const struct configuration *configuration = parsed("a -f b -c 3 c");

	UNIT_UNSIGNED("in between", configuration->target_count, 3);
	UNIT_TEXT("in order", configuration->targets[0], "a");
	UNIT_TEXT("in order", configuration->targets[2], "c");
	UNIT_UNSIGNED("in between", configuration->count, 3);
	configuration = parsed("-q -- -f --bogus");
	UNIT_UNSIGNED("after --", configuration->target_count, 2);
	UNIT_TEXT("after --", configuration->targets[0], "-f");
	UNIT_CHECK(!configuration->flood, "-f after -- is a host");
	UNIT_UNSIGNED("-j takes no value", parsed("-j file")->target_count, 1);
	UNIT_UNSIGNED("none", parsed("-q")->target_count, 0);
	(void)setenv("POSIXLY_CORRECT", "1", 1);
	UNIT_CHECK(parsed("a -f")->flood, "whatever POSIXLY_CORRECT says");
	(void)unsetenv("POSIXLY_CORRECT");
}

static void test_actions(void)
{
	UNIT_CHECK(parse("-h") == 0 && subject.action == OPTION_ACTION_HELP, "-h");
	UNIT_CHECK(parse("--help --bogus") == 0 && subject.action == OPTION_ACTION_HELP, "--help");
	UNIT_CHECK(parse("-V") == 0 && subject.action == OPTION_ACTION_VERSION, "-V");
	UNIT_CHECK(parse("--version") == 0 && subject.action == OPTION_ACTION_VERSION, "--version");
	UNIT_CHECK(parse("host") == 0 && subject.action == OPTION_ACTION_NONE, "a host");
}

/* Checks that a line is refused and that the sentence starts with the option. */
static void check_refused(const char *option, const char *line)
{
	UNIT_CHECK(parse(line) == -ERROR_INVALID, "%s: taken", line);
	UNIT_CHECK(strncmp(failure.text, option, strlen(option)) == 0, "%s: %s is not named in: %s",
		   line, option, failure.text);
	UNIT_CHECK(strchr(failure.text, '\n') == NULL, "%s: more than a line", line);
}

static void test_times_refused(void)
{
	static const char *const values[] = {
		"-0.5", "-1", "nan", "NaN", "inf", "-inf", "infinity", "1e308", "1e-12", "\"\"",
		"_1", "1_", "-0", "0", "0x1p-3", "0,5", "1..5", ".", "1.", "s", "ms", "1m", "1h",
		"2h", "1e10", "9223372036854775807", "18446744073709551617", "1e-9",
		"0.0000000001", "+1", "1ss", "0.0", "0ms",
	};
	static const char *const options[] = {"-i",	    "-w",	  "-W",
					      "--interval", "--deadline", "--timeout"};
	char line[80];

	for (size_t i = 0; i < ARRAY_LENGTH(values); i++) {
		for (size_t k = 0; k < ARRAY_LENGTH(options); k++) {
			(void)snprintf(line, sizeof(line), "%s %s host", options[k], values[i]);
			check_refused(options[k], line);
		}
	}
	check_refused("-i", "-i 0.0000005 host");
	check_refused("-i", "-i 1000001 host");
	check_refused("-W", "-W 99us host");
	check_refused("-W", "-W 4294968 host");
	check_refused("-W", "-W 3601 host");
	UNIT_CHECK(parse("-i 0 h") < 0 && strstr(failure.text, "-f") != NULL, "-i 0 leads to -f");
}

static void test_numbers_refused(void)
{
	static const struct {
		const char *option;
		const char *values[16];
	} rows[] = {
		{"-c",
		 {"3x", "1e3", "0x10", "+3", "_3", "3.0", "-1", "0", "\"\"",
		  "18446744073709551617", "1000000000000001", "nan"}},
		{"-s", {"56k", "2147483647", "4294967352", "65528", "-1", "0x38", "\"\"", "5_6"}},
		{"--depth", {"8,000", "0", "65537", "4294967297", "-1", "1.5", "\"\""}},
		{"-l", {"0", "65537", "3x", "\"\""}},
		{"--rate",
		 {"0", "-5", "nan", "1e3", "1000001", "0.0000000001", "\"\"", "5/s", "1,5"}},
		{"-t", {"0", "256", "-1", "500", "1x", "\"\""}},
		{"-e", {"65536", "-1", "x", "\"\"", "0x10000"}},
		{"-m", {"4294967296", "-1", "0x", "abc", "\"\"", "010"}},
		{"-F", {"100000", "-1", "xyz", "\"\"", "0x", "0000000000000000000000000012"}},
		{"-Q", {"256", "-1", "0x100", "af14", "af51", "cs8", "\"\"", "bulk"}},
		{"-S", {"0", "10.0.0.1", "::1", "-1", "\"\"", "64k"}},
		{"-p", {"xy", "\"\"", "0x00", "00112233445566778899aabbccddeeff00"}},
		{"-M", {"", "yes", "DO", "\"\"", "10.0.0.1"}},
		{"--payload", {"\"\"", "zero", "randomly"}},
		{"--transport", {"\"\"", "packet", "xdp", "Raw"}},
		{"--warmup", {"\"\"", "0", "-1", "1.5", "1e3", "2h", "s", "4000s", "100,"}},
		{"--clock", {"\"\"", "tsx", "coarse,tsc", "sim"}},
		{"--stamps", {"\"\"", "tx", "splits", "Split", "none"}},
		{"--sim", {"\"\"", "bogus=1", "loss=2", "loss"}},
		{"-I", {"\"\""}},
		{"--targets", {"\"\""}},
	};
	char line[120];

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		for (size_t k = 0; k < ARRAY_LENGTH(rows[i].values); k++) {
			const char *value = rows[i].values[k];

			if (value == NULL || value[0] == '\0')
				continue;
			(void)snprintf(line, sizeof(line), "%s %s host", rows[i].option, value);
			check_refused(rows[i].option, line);
		}
	}
}

static void test_lines_refused(void)
{
	static const struct {
		const char *line;
		const char *words;
	} rows[] = {
		{"-4 -6 h", "-4 and -6"},
		{"-6 -4 h", "-4 and -6"},
		{"-c", "-c needs a value"},
		{"--depth", "--depth needs a value"},
		{"--flood=3 h", "--flood takes no value"},
		{"--json= h", "name of the file"},
		{"--cou 3 h", "--count"},
		{"--bogus h", "unknown option --bogus"},
		{"--sweep-depth 1 h", "unknown option"},
		{"--threads 2 h", "unknown option"},
		{"--csv h", "unknown option"},
		{"--dry-run h", "unknown option"},
		{"--expect loss<1% h", "unknown option"},
		{"-9 h", "unknown option -9"},
		{"-b 1000 h", "-s 1000"},
		{"-S 10.0.0.1 h", "-I"},
		{"-t 500 h", "-W"},
		{"-I 1 -I 2 -I 3 -I 4 -I 5 -I 6 -I 7 -I 8 -I 9 h", "8 times"},
		{"--targets a --targets b", "one file"},
		{"-H h", "-t"},
		{"-C h", "--json"},
		{"-J h", "-j"},
		{"-T tsonly h", "IP options"},
		{"-R h", "--payload random"},
		{"-z 1 h", "-Q"},
	};

	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		UNIT_CHECK(parse(rows[i].line) == -ERROR_INVALID, "%s: taken", rows[i].line);
		UNIT_CHECK(strstr(failure.text, rows[i].words) != NULL, "%s: no %s in: %s",
			   rows[i].line, rows[i].words, failure.text);
	}
}

/* Letters of ping and fping: none is unknown, and none does something else by accident. */
static void test_strange_letters(void)
{
	static const char letters[] = "aBCdgGHJkKNoPrRTuUxXz";
	char line[8];

	for (const char *letter = letters; *letter != '\0'; letter++) {
		char start[8];

		(void)snprintf(line, sizeof(line), "-%c h", *letter);
		(void)snprintf(start, sizeof(start), "-%c: ", *letter);
		check_refused(start, line);
		UNIT_CHECK(option_find_letter(*letter) == NULL, "-%c is both refused and an option",
			   *letter);
	}
}

static void test_control_bytes(void)
{
	char *arguments[] = {(char *)(uintptr_t) "fping-bench", (char *)(uintptr_t) "-c",
			     (char *)(uintptr_t) "\033[2J\n7", NULL};

	UNIT_CHECK(options_parse(&subject, 3, arguments, hosts, &failure) < 0, "taken");
	UNIT_CHECK(strchr(failure.text, '\033') == NULL && strchr(failure.text, '\n') == NULL,
		   "control bytes in: %s", failure.text);
}

/* Rows agree with themselves: no letter or name twice, and each does exactly one thing. */
static void test_table(void)
{
	for (const struct option_row *row = option_table; row->name != NULL; row++) {
		UNIT_CHECK(option_find(row->name, strlen(row->name)) == row, "--%s is there twice",
			   row->name);
		UNIT_CHECK(row->letter == 0 || option_find_letter(row->letter) == row,
			   "-%c is there twice", row->letter);
		UNIT_CHECK((row->set != NULL) + (row->flag != 0) +
					   (row->action != OPTION_ACTION_NONE) == 1,
			   "--%s does not do exactly one thing", row->name);
		UNIT_CHECK(row->help != NULL && row->help[0] != '\0', "--%s has no help",
			   row->name);
	}
}

static void test_help(void)
{
	char *text = NULL;
	size_t length = 0;
	FILE *stream = open_memstream(&text, &length);
	int status = stream == NULL ? -1 : options_help(stream);
	size_t column = 0;

	UNIT_CHECK(status == 0 && fclose(stream) == 0, "the help cannot be written");
	for (size_t i = 0; text != NULL && i < length; i++) {
		column = text[i] == '\n' ? 0 : column + 1;
		UNIT_CHECK(column < 80, "a line of more than 79 columns at byte %zu", i);
		UNIT_CHECK(text[i] != ' ' || text[i + 1] != '\n',
			   "a blank ends a line at byte %zu", i);
	}
	for (const struct option_row *row = option_table; row->name != NULL; row++) {
		char name[40];

		(void)snprintf(name, sizeof(name), "--%s", row->name);
		UNIT_CHECK(text != NULL && strstr(text, name) != NULL, "%s is missing", name);
	}
	free(text);
}

const struct unit_suite suite_options = {
	"options",
	(const struct unit_test[]){
		{"switches", test_switches},
		{"numbers", test_numbers},
		{"fragments", test_fragment_orders},
		{"times", test_times},
		{"words", test_words},
		{"hosts", test_hosts},
		{"actions", test_actions},
		{"times refused", test_times_refused},
		{"numbers refused", test_numbers_refused},
		{"lines refused", test_lines_refused},
		{"letters of other tools", test_strange_letters},
		{"control bytes", test_control_bytes},
		{"table", test_table},
		{"help", test_help},
		{NULL, NULL},
	},
};
