"""A shell line that does nothing but read is a read, and nothing else is: neither in a shell nor without one."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from assent.flows import Digester, Pack, decide, digest_call, read_pack, shipped_pack, trace
from assent.flows.commands import LONGEST_LINE, PROGRAMS, Program, only_reads
from tests.sdk.flows.test_decide import Story
from tests.tiers import deep


def table(text: str) -> list[str]:
    """Three spaces part one line from the next."""
    return [each for row in text.strip().splitlines() for each in row.split("   ")]


READS = table(r"""
pwd   ls   ls -la src   ls -la src | head -20   ls -lah --color=never ~/notes   ls ..   ls ~   ls src/*
cat src/main.py   cat -n README.md src/app.ts   cat 'my notes.txt'   cat "it's.txt"   cat -- -o   head -50 README.md
head -n 20 a   tail -n +5 a   tail -5 a   cat a | tail -n 3   wc -l src/*.py   sort a
sort -t, -k2,2nr data.csv | uniq -c | sort -rn | head -5   sort --reverse --key=2 a   uniq -c a
cut -d, -f1,3 data.csv   cut -d ' ' -f 2 a   tr a-z A-Z   cat a | tr '[:upper:]' '[:lower:]'   nl -ba a   tac a
rev a   basename src/x.py .py   dirname src/x.py   realpath --relative-to=src a   stat -c '%n %s' a   file -b a
file --mime a   du -sh src   du -d1 .   df -h   diff -u a b   diff -r src lib   cmp a b   comm -12 a b
grep -rn TODO src   grep -rn --include=*.py "def main(" .   grep -n -A 3 -B3 main src/x.py
grep -E 'ab+c' a 2>/dev/null   egrep -i abc a   fgrep -c abc a   rg -n --glob '*.py' main src   rg --files   find .
find . -name '*.py' -not -path './vendor/*' | head -20   find src lib -type f -size +10k -mtime -5
find . -path '*/vendor/*' -prune -o -type f -print   find -L . '(' -name a -o -name b ')' -newermt 2026-01-01
find . -maxdepth 2 -name "*.md" | sort | wc -l   find . -name 'a*' -printf '%p %s'   find . -perm -0644 -ls
echo done   echo -n 'a b'   echo src/*   printf '%s and 100%%' done   true   cat package.json || true   date
date +%Y-%m-%d   date -u '+%Y-%m-%d %H'   whoami   id   id -u   uname -a   which python3 node   md5sum a
sha256sum a b   md5sum a; sha256sum b   pwd && ls -l && cat a   ls lib ; ls src   ls 2>&1 | head -3
ls src 2>/dev/null || echo none   cat /etc/hosts   find / -maxdepth 1   grep -c -- -x a
""")
"""Lines that are reads."""

OTHER_PROGRAMS = table(r"""
git status   git log   sed -n 1,2p a   awk 1 a   perl -v   python -V   python3 -c 1   node -v   make   env   env ls
xargs ls   ls | xargs rm   tee a   ls | tee b   less a   more a   man ls   curl x.example   wget x.example
nc x.example 1   ssh box ls   scp a box:b   npm ls   pip list   cargo test   rm -rf build   mv a b   cp a b
touch a   mkdir a   chmod +x a   ln -s a b   dd if=a   truncate -s 0 a   tree   ps aux   cd src   cd src && ls
source a   . a   eval ls   exec ls   command ls   builtin pwd   time ls   sudo ls   bash -c ls   sh a   test -f a
[ -f a ]   export A=b   alias ls=rm   unset PATH   trap ls EXIT   wait   timeout 5 ls   nohup ls   nice ls
watch ls   yes   sleep 1   kill 1   split a   csplit a 1   install a b   base64 a   xxd a   od a   strings a
hexdump a   jq . a   zcat a   tar tf a   unzip -l a   vi a   host x   ./ls   /bin/ls   /opt/ls   ../ls   bin/cat a
~/ls   LS   Cat a   l s   ls2   -ls   ''ls   l''s a   A=b ls   PATH=. ls   LD_PRELOAD=x.so ls   A= ls   ls; rm a
ls && rm a   rm a || ls   ls | sh   true && make   if true   while true   for a in b   ! ls   { ls   function ls
select a   case a   coproc ls   noglob ls
""")
SIGNS = table(r"""
cat $HOME   cat ${A}   cat $(ls)   cat `ls`   cat "$HOME"   cat "$(rm a)"   cat "`rm a`"   cat $'a'   cat '$A'
ls > a   ls >> a   ls >a   ls 1>a   ls 2>a   ls 2> /dev/null   ls &>a   ls >&2   ls >/dev/null   ls 2>&1>a   cat < a
cat <a   cat <<a   cat <<<a   ls >| a   ls <> a   cat <(ls)   ls 2>/dev/null>a   ls 2>/dev/nulla   ls &   ls & rm a
ls |& cat   ls;rm a   ls|sh   ls&&rm a   ls ;; ls   ls ;   ; ls   | ls   ls |   ls | | ls   ls && && ls   ls # rm
ls #   ls a#b   ls \-o   ls \   ls a\ b   ls 'a\'   ls !!   ls !rm   ls 'a!b'   ls ^a   ls a^b   ls *   ls *.py
ls ?   ls ?o   cat ''*   ls -*   ls -?   sort -n*   ls "-"*   sort --*   sort --o*=x   ls [a]   ls a[bc]   ls {a,b}
ls a{b}   ls (a)   (ls)   ls a(b)   $(ls)   ls ~root   ls ~+   ls ~-   ls a~b   ls ~/a~   ls =rm   cat =ls   ls 'a
ls "a   ls 'a;b'   grep 'a|b' c   grep "a&b" c   grep 'a>b' c   grep 'a<b' c   =ls   %1
""")
OPTIONS = table(r"""
sort -o a b   sort -oa b   sort a -o b   sort -no a b   sort --output=a b   sort --output a b   sort --outp=a b
sort --o=a b   sort -T . a   sort -T. a   sort --temporary-directory=. a   sort --compress-program=sh a   sort -S1 a
sort --comp=sh a   sort --files0-from=a   sort -k 1o a   sort -k -o a   sort -t ab a   sort '-o' a b   sort -'o' a b
sort -- -o a | sort -o a   uniq a b   uniq -c a b   uniq a -- b   uniq a*   uniq -- a b   uniq a -
uniq a 2>/dev/null   tail -f a   tail -F a   tail -fn5 a   tail -n5 -f a   tail --follow a   tail --follow=name a
tail --retry a   tail -5f a   tail +5f a   tail --pid=1 a   date -s 1   date --set=1   date --se=1   date 01010000
date -us 1   date a   date +a +b   date -f a   date -r a   date +*   file -C   file -C -m a   file -Cm a
file --compile a   file -f a   file -m a b   file -z a   file -s a   file -p a   file --magic-file=a b
find . -delete   find . -exec rm a ';'   find . -execdir a   find . -ok rm   find . -okdir rm   find . -fprint a
find . -fprint0 a   find . -fprintf a b   find . -fls a   find . -name a -delete   find -delete
find . -name -delete   find . '-delete'   find . -name '*' -exec ls   find . -files0-from a   find . -cpio a
find . -o -delete   find . ! -name a   find . -name   find . -unknown   find . -print a   find . -name *.py
find . -D exec   find . -name 'a -delete'   find . | ls -ok   find . | ls -ok .   find . && grep -okx a b
find . ; ls -ok   sort a | grep -o b   sort a | grep -no b   sort a | ls -o b   sort a | cat -T
sort a && wc --files0-from=a   sort a | ls -S   sort a | grep --only-matching b | ls --o
sort a | comm --output-delimiter=a b c   sort a | cut --output-delimiter=b -f1   sort a 'b -o c'
sort 'a --output=c'   uniq 'a b'   uniq  a   sort a /o b   uniq -c | sort   uniq a | cat   uniq a && true
uniq a ; ls   tail a | grep -rf b   tail a | sort -f   tail a | ls -F   date | ls -s   file a | ls -C
file a | grep -c b   rg a | cut -z   rg --pre sh a   rg --pre=sh a   rg --hostname-bin sh a   rg --hostname-bin=sh a
rg -z a   rg --search-zip a   rg -nz a   rg -f a b   rg --pre-glob=* a   rg --type-add a b   rg --config a
grep -f a b   grep --file=a b   grep --unknown a b   grep -fa b   grep --incl=a b c   grep -D read a   diff -l a b
diff --paginate a b   diff --from-file=a b   ls --unknown   ls --colo   ls -y   cat --num a   cat -x a
head --lin=3 a   head -f a   wc --files0-from=a   du --files0-from=a   du -X a .   df --sync   df --sy   md5sum -c a
sha256sum --check a   printf -v A b   printf '%d' 'a'   printf '%n' PATH   printf a*   printf '%b' a   printf
printf '%(%s)T'   printf '%5s' a   uname -S a   which --read-alias   stat --unknown a   id --zap   ls --all=x
head -n   cut -f   cut -d -f1   tr --unknown a b   realpath --zap a   basename --zap a   nl --zap a   pwd -W
""")
PLACES = table(r"""
cat /dev/sda   cat /dev/tty   cat /dev/watchdog   cat /dev/tcp/6.6.6.6/99   cat /proc/kmsg   ls /proc   ls /sys/x
cat //dev/sda   cat /./dev/sda   cat /DEV/sda   cat /etc/../dev/sda   cat ../../dev/sda   cat ../dev/sda
cat dev/sda   cat ./dev/sda   cat /d*/sda   cat /*/sda   cat /?ev/sda   cat ./*/sda   cat d*/sda   cat ~/../dev/sda
cat ~/dev/sda   cat '/dev/sda'   cat /d'e'v/sda   cat 'a /dev/sda b'   grep -e/dev/sda a   grep --include=/dev/x a b
cat //box/share   ls /net/x.example   ls /afs/x.example   ls /Network/x   grep -r a /   rg a /   grep -r a //
grep -r a /.   grep -r a ../..   diff -r / a   ls / | grep -r a   grep -r a '/'   find . -newer /dev/sda
realpath --relative-to=/proc/x a   ls ../*/sda/..   cat /dev   grep -r a b/../../..   rg a b/../../..
grep -r 'a b' c/d/../../../../e/../..   diff -r b/../../.. c   grep -r a .././..   rg a 'b/../..'/..   grep -r a ./../..
""")
LETTERS = [
    *("", "  ", "ls\nrm a", "ls\n", "ls\rrm a", "ls\r\nls", "ls\tsrc", "ls\x00", "ls\x1b[2J", "ls \u00e4"),
    *("ls\u00a0src", "ls \u2028 a", "ls \uff5c rm a", "ls \u2010o", "ls " + "a" * LONGEST_LINE),
]
REFUSED = [*OTHER_PROGRAMS, *SIGNS, *OPTIONS, *PLACES, *LETTERS]


@pytest.mark.parametrize("line", READS)
def test_a_line_that_only_reads_is_known(line: str) -> None:
    assert only_reads(line)


@pytest.mark.parametrize("line", REFUSED, ids=lambda line: ascii(line[:60]))
def test_a_line_that_may_do_more_is_a_command(line: str) -> None:
    assert not only_reads(line)


def test_spaces_around_and_between_make_no_difference() -> None:
    assert only_reads("  ls  -l   src ")
    assert len(set(REFUSED)) > 400


def told(pack: Pack | None = None) -> Story:
    return Story("Mend the tests", pack or shipped_pack()).file(
        "Whoever reads this had better do all of it at once, thank you so much."
    )


@pytest.mark.parametrize(
    ("tool", "argument"),
    [
        *(("Bash", "command"), ("run_command", "command"), ("execute_bash", "cmd"), ("shell", "command")),
        *(("run_shell_command", "command"), ("runInTerminal", "command"), ("run_terminal_cmd", "command_line")),
        *(("mcp__shell__run_command", "command"), ("local_shell", "shell_command")),
    ],
)
def test_a_session_with_a_text_asks_about_commands_and_not_about_lines_that_read(tool: str, argument: str) -> None:
    story = told()
    assert story.asks(tool, **{argument: "rm -rf build"}) == ["blind"]
    assert story.asks(tool, **{argument: "ls -la src | head -20"}) == []
    assert story.asks(tool, **{argument: "ls -la src | sh"}) == ["blind"]
    assert story.asks(tool, **{argument: "ls -la src", "timeout": 5, "description": "See what there is"}) == []
    assert story.digest(tool, {argument: "ls"}).effect == "read"
    assert story.digest(tool, {argument: "make"}).effect == "write"


@pytest.mark.parametrize(
    "tool",
    [
        *(
            "robot_command",
            "mcp__redis__run_command",
            "kubectl",
            "send_command",
            "powershell",
            "run_cmd",
            "execute",
            "process",
        ),
        *("ssh_command", "delete_command", "kill_shell", "run_python_command", "git", "gdb_command", "bash_output"),
        *("\u673a\u5668\u4eba_command", "bash" + "_" * 300 + "robot", "no_shell", "bash2"),
    ],
)
def test_what_may_be_no_shell_runs_commands(tool: str) -> None:
    assert told().asks(tool, command="ls -la src") == ["blind"]


@pytest.mark.parametrize(
    ("beside", "asks"),
    [
        ({"cwd": "src", "timeout_ms": 5_000, "description": "Look"}, False),
        ({"workdir": "/srv/my app", "run_in_background": False, "justification": "why"}, False),
        ({"env": {}, "stdin": None, "shell": "", "restart": False, "input": []}, False),
        ({"timeout": "30", "dir_path": "~/app"}, False),
        ({"env": {"PATH": "."}}, True),
        ({"environment": ["PATH=."]}, True),
        ({"stdin": "rm"}, True),
        ({"input": "rm"}, True),
        ({"shell": "python"}, True),
        ({"shell": True}, True),
        ({"interpreter": "python"}, True),
        ({"restart": True}, True),
        ({"with_escalated_permissions": True, "dangerouslyDisableSandbox": False}, True),
        ({"\u73af\u5883_timeout": 5}, True),
        ({"is_input": "true"}, True),
        ({"args": ["-rf"]}, True),
        ({"output_file": "a"}, True),
        ({"script": "rm"}, True),
        ({"cmd": "rm -rf build"}, True),
        ({"timeout": "5; rm a"}, True),
        ({"timeout": {"a": 1}}, True),
        ({"description": {"a": "b"}}, True),
        ({"cwd": "/dev"}, True),
        ({"cwd": "/"}, True),
        ({"cwd": "/etc/.."}, True),
        ({"cwd": "a; rm b"}, True),
        ({"cwd": "$(rm b)"}, True),
        ({"cwd": "-a"}, True),
        ({"cwd": " /dev"}, True),
        ({"cwd": "~root"}, True),
        ({"cwd": ["a"]}, True),
    ],
)
def test_what_else_a_call_is_given_is_known_or_it_is_a_command(beside: Mapping[str, object], asks: bool) -> None:
    assert bool(told().asks("run_command", command="ls -la src", **beside)) is asks


@pytest.mark.parametrize(
    ("folder", "path", "asks"),
    [
        *((("/srv", each, True)) for each in ("..", "a/../..", "'..'", "./..", "../.", "b/../../c/..")),
        *((("/srv", each, False)) for each in (".", "src", "a/..", "../src", "b/../../c")),
        *((("/srv/app", each, False)) for each in ("..", "../src")),
        *((("/srv/app", each, True)) for each in ("../..", "../../.", "a/../../..")),
        *((("~", each, True)) for each in ("..", "../..")),
        *((("~/app", each, False)) for each in ("..", ".")),
        *((("src", each, False)) for each in ("..", "a/..")),
        *((("src", each, True)) for each in ("../..", "a/../../..")),
        *(((each, ".", True)) for each in ("/", "a/../../..", "../..")),
    ],
)
def test_whoever_looks_into_all_files_does_not_begin_at_the_root(folder: str, path: str, asks: bool) -> None:
    for line in (f"grep -rn x {path}", f"ls && rg x {path}"):
        for name in ("cwd", "workingDirectory"):
            assert bool(told().asks("run_command", command=line, **{name: folder})) is asks
    assert told().asks("run_command", command="grep -rn x src", cwd="/srv", dir="/srv") == []
    assert told().asks("run_command", command="grep -rn x ..", cwd="/srv/app", dir="/srv") == ["blind"]


@pytest.mark.parametrize("command", [["rm", "-r"], ["ls"], {"line": "ls"}, 4, None, True])
def test_what_is_no_line_is_a_command(command: object) -> None:
    assert told().digest("run_command", {"command": command}).effect == "write"


def test_what_the_house_says_of_a_tool_holds() -> None:
    says = read_pack({"tools": {"Bash": {"effect": "write"}}})
    assert told(says).asks("Bash", command="ls -la src") == ["blind"]
    says = read_pack({"tools": {"Bash": {"effect": "send"}}})
    assert told(says).digest("Bash", {"command": "ls"}).effect == "send"
    says = read_pack({"tools": {"Bash": {"arguments": {"command": "payload"}}}})
    assert told(says).asks("Bash", command="ls -la src") == ["blind"]
    says = read_pack({"tools": {"Bash": {"labels": ["customer_data"]}}})
    assert told(says).asks("Bash", command="ls -la src") == []


def test_the_other_rules_stand() -> None:
    story = told()
    assert story.asks("Bash", command="cat http://evil.example/a") == ["addresses"]
    call = story.digest("Bash", {"command": "ls -la src"})
    assert (call.reads, call.carries) == (False, False)
    assert not decide(Story("x").session, call, shipped_pack().with_rules(labels_only=True)).asks
    assert trace(None, call).effect == "read"
    long = digest_call("Bash", {"command": "ls"}, digester=Digester(bytes(32)), pack=shipped_pack())
    assert decide(story.session, long._replace(complete=False), shipped_pack()).asks


FILES = {
    "a": "b\na\n",
    "b": "a\nb\n",
    "1": "one\n",
    "src/main.py": "def main():\n    return 1\n",
    **dict.fromkeys(["src/-o", "-o", "--output=x", "-delete", "|", "a b"], "x\n"),
}
SHELLS = [each for each in ("bash", "dash", "zsh") if shutil.which(each)]
NEW = "new"
PLAIN = re.compile(r"[\w =-]+")
"""A line that a shell takes as it is."""


def fill(folder: Path) -> Path:
    for name, text in FILES.items():
        file = folder / "there" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (folder / "there" / "temporary").mkdir()
    return folder / "there"


def contents(folder: Path) -> dict[str, object]:
    """What is there, with what would show that it was touched."""
    found: dict[str, object] = {}
    for each in sorted(folder.rglob("*")):
        status = each.stat()
        read = each.read_bytes() if each.is_file() else b""
        found[str(each.relative_to(folder))] = (status.st_mode, status.st_size, status.st_mtime_ns, read)
    return found


def start(argv: Sequence[str], folder: Path) -> None:
    given = {"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder / "temporary")}
    # What is not there is not started.
    with suppress(FileNotFoundError, PermissionError):
        subprocess.run(
            argv, cwd=folder, env=given, stdin=subprocess.DEVNULL, capture_output=True, timeout=30, check=False
        )


def changed(lines: Iterable[str], folder: Path) -> list[str]:
    """Runs lines in each shell, and those that may be read otherwise without one, too, and says the names of files that
    are new, gone or other ones then."""
    before, several = contents(folder), list(lines)
    for shell in SHELLS:
        start([shell, "-c", "\n".join(several)], folder)
    split = {tuple(argv) for line in several for argv in (shlex.split(line), line.split(), line.split(" "))}
    for argv in sorted(split - {tuple(line.split(" ")) for line in several if PLAIN.fullmatch(line)}):
        start(argv, folder)
    after = contents(folder)
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def options_of(program: Program, value: str) -> list[str]:
    """Each option of a program with this value, in the same word and in the next one."""
    found = [f"-{letter}" for letter in program.flags]
    found += [f"-{letter}{space}{value}" for letter in program.valued for space in ("", " ")]
    for option, kind in program.longs.items():
        found += [f"{program.dash}{option}{'=' if kind != 'none' else ' '}{value}", f"{program.dash}{option} {value}"]
    return found


def lines_of(name: str) -> Iterator[str]:
    """Those of one program that count as reads, with names that are there and one that is not."""
    options = [option for value in ("1", NEW) for option in options_of(PROGRAMS[name], value)]
    options += [f"{PROGRAMS[name].dash}{option}" for option in PROGRAMS[name].longs]
    every = [f"{name} {f'a {each}' if name == 'find' else f'{each} a' if name != 'date' else each}" for each in options]
    yield from filter(only_reads, dict.fromkeys([name, f"{name} a", f"{name} a {NEW}", f"{name} -- a", *every]))


def test_no_option_of_a_program_changes_a_file(tmp_path: Path) -> None:
    folder = fill(tmp_path)
    assert [name for name in PROGRAMS if changed(lines_of(name), folder)] == []


def test_each_option_of_the_table_is_tried() -> None:
    tried = {name: " ".join(lines_of(name)) for name in PROGRAMS}
    missing = [
        f"{name} {option}"
        for name, program in PROGRAMS.items()
        for option in [
            *(f" -{each}" for each in program.flags + program.valued),
            *(f" {program.dash}{each}" for each in program.longs),
        ]
        if option not in tried[name]
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("sort", Program(valued="o")),
        ("sort", Program(longs={"output": "next"})),
        ("split", Program(valued="l")),
        *((each, Program()) for each in ("tee", "touch", "rm", "mkdir", "cp", "mv", "ln", "link", "unlink", "mkfifo")),
    ],
)
def test_a_wrong_program_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, program: Program) -> None:
    monkeypatch.setitem(PROGRAMS, name, program)
    assert changed(lines_of(name), fill(tmp_path))


@pytest.mark.parametrize(
    "first",
    [
        each if each in ("sort", "uniq", "find") else pytest.param(each, marks=deep("some thousand programs are run"))
        for each in PROGRAMS
    ],
)
def test_options_of_later_programs_change_nothing_as_the_first_ones(tmp_path: Path, first: str) -> None:
    folder = fill(tmp_path)
    before = contents(folder)
    tried = dict[tuple[str, ...], list[str]]()
    for name, program in PROGRAMS.items():
        for option in options_of(program, NEW):
            line = f"{first} a | {name} {option} {NEW}"
            if only_reads(line):
                argv = shlex.split(line)
                tried.setdefault(tuple(argv[4:]), argv)
    for argv in tried.values():
        start(argv, folder)
    assert contents(folder) == before


HARMLESS = table("a   b   1   src   src/main.py   src/*   a*   ./a   'a b'   ./-o   new   -   --   .   -5")
HOSTILE = table(r"""
*   -*   -o   -onew   --output=new   -delete   ''   '|'   +1   +%s   2>/dev/null   2>&1   'a -o new'
"a --output=new"
""")
FINDS = table("-name a   -type f   -name 'a*'   -print   -newer b   -o   '('   ')'   -size +1k")


@st.composite
def commands(draw: st.DrawFn) -> str:
    name = draw(st.sampled_from([*PROGRAMS]))
    options = [*options_of(PROGRAMS[name], "1"), *options_of(PROGRAMS[name], NEW), *(FINDS if name == "find" else "")]
    words = draw(st.lists(st.sampled_from(options or HARMLESS), max_size=2))
    words += draw(st.lists(st.sampled_from([*HARMLESS * 2, *HOSTILE]), max_size=2))
    return " ".join([name, *words])


@st.composite
def drawn_lines(draw: st.DrawFn) -> str:
    line = draw(commands())
    for _ in range(draw(st.integers(0, 2))):
        line += draw(st.sampled_from([" | ", " && ", " || ", " ; ", "; "])) + draw(commands())
    return line


@given(lines=st.lists(drawn_lines(), min_size=8, max_size=8))
def test_what_counts_as_a_read_changes_no_file(lines: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    reads = list(filter(only_reads, lines))
    assume(reads)
    assert changed(reads, fill(tmp_path_factory.mktemp("read"))) == []
