"""What a command can be meant to do, and which of these intents a program has.

An intent says how risky a command is (0 to 100), whether it can be undone, what it touches, and whether it destroys
something: a new kind of command is a line of that table. A program has its intents by its name, and some by the words
behind it.
"""

import re

from assent.hooks.versions import git, github, named


class Intent:
    """`risk` is what the agent's own estimate begins with; policies see `name` in `metadata.intents`. `destructive`:
    something that was there is gone afterwards, and no host is ever told to go ahead with it."""

    __slots__ = ("destructive", "name", "reversible", "risk", "systems")

    def __init__(
        self, name: str, risk: int, reversible: bool, systems: "tuple[str, ...]", destructive: bool = False
    ) -> None:
        self.name = name
        self.risk = risk
        self.reversible = reversible
        self.systems = systems
        self.destructive = destructive


INTENTS = {
    intent.name: intent
    for intent in (
        Intent("read", 5, True, ()),
        Intent("build", 15, True, ()),
        Intent("write", 20, True, ("filesystem",)),
        Intent("other", 25, True, ()),
        Intent("network", 35, True, ("network",)),
        Intent("version_control", 25, True, ("git",)),
        Intent("run_code", 35, True, ()),
        Intent("install", 45, True, ("packages",)),
        Intent("process", 45, False, ("processes",)),
        Intent("delete", 50, False, ("filesystem",), destructive=True),
        Intent("publish_code", 50, False, ("git", "network")),
        Intent("database", 45, True, ("database",)),
        Intent("cloud", 55, True, ("cloud",)),
        Intent("remote_shell", 60, False, ("network", "remote host")),
        Intent("upload", 65, False, ("network",)),
        Intent("rewrite_history", 65, False, ("git",), destructive=True),
        Intent("privilege", 70, False, ("system",)),
        Intent("persistence", 70, True, ("system",)),
        Intent("system", 70, False, ("system",)),
        Intent("deploy", 70, False, ("production",)),
        Intent("read_secrets", 70, True, ("secrets",)),
        Intent("unreadable", 70, False, ()),
        Intent("destroy_data", 85, False, ("database",), destructive=True),
        Intent("run_download", 85, False, ("network",)),
        Intent("destroy_infrastructure", 90, False, ("production", "cloud"), destructive=True),
        Intent("wipe", 95, False, ("filesystem",), destructive=True),
        Intent("destroy_disk", 95, False, ("disk",), destructive=True),
    )
}


TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

BY_NAME = {
    "read": """
        ls cat head tail less more grep egrep fgrep rg ag fd pwd echo printf wc stat file which whereis type du df tree
        sort uniq cut tr awk jq yq diff cmp basename dirname realpath readlink date whoami id uname hostname ps top
        free uptime true false test [ sleep cd pushd popd seq column nl tac rev md5sum sha1sum sha256sum cksum strings
        xxd hexdump od man help history set unset alias read wait exit return local declare : bat eza pgrep lsof shift
        trap ulimit umask getopts export sed [[ : alias cd let fmt fold expand join paste comm tput clear env""",
    "write": "tee mv cp mkdir touch ln patch install tar unzip zip gzip gunzip split apply_patch",
    "build": """
        make cmake ninja pytest tox nox mypy pyright ruff black isort flake8 eslint prettier tsc jest vitest gradle mvn
        ant bazel gcc g++ clang clang++ ld rustc javac pre-commit cargo go npm pnpm yarn bun uv poetry pip pip3 pipx gem
        bundle composer dotnet swift xcodebuild deno brew apt apt-get dnf yum pacman apk
        conda mamba pipenv pdm hatch""",
    "network": "ping dig nslookup host traceroute telnet ftp twine",
    "remote_shell": "ssh mosh sftp",
    "run_code": """
        python python2 python3 node perl ruby php rscript lua osascript powershell pwsh eval source . bash sh zsh dash
        ksh fish ash npx uvx bunx tclsh expect ts-node tsx""",
    "process": "kill pkill killall renice xkill",
    "system": """
        shutdown reboot halt poweroff init mount umount iptables nft ufw sysctl useradd userdel usermod groupadd passwd
        visudo modprobe insmod rmmod setenforce""",
    "destroy_disk": "fdisk parted wipefs sfdisk badblocks blkdiscard hdparm cryptsetup lvremove vgremove mkswap",
    "privilege": "sudo su doas pkexec runas setcap",
    "persistence": "crontab at batch launchctl update-rc.d",
    "read_secrets": "security secret-tool pass op vault keyctl gopass bw",
    "delete": "truncate",
}
_PLAIN = {program: intent for intent, programs in BY_NAME.items() for program in programs.split()}

SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh", "fish", "ash"))
BUILT_IN = frozenset(("eval", "source", "."))
CODE = frozenset(_name for _name in BY_NAME["run_code"].split() if _name not in SHELLS | BUILT_IN)
DATABASES = named("psql mysql mariadb sqlite3 mongo mongosh redis-cli duckdb cqlsh sqlcmd")
FETCHING = frozenset(("curl", "wget"))
INSTALLERS = named(
    """
    pip pip3 pipx npm pnpm yarn bun gem brew apt apt-get dnf yum pacman apk cargo go composer uv poetry conda
    mamba
    """
)
INSTALLING = frozenset(
    ("install", "add", "i", "ci", "get", "update", "upgrade", "sync", "remove", "uninstall", "purge", "-S", "-Syu")
)
PUBLISHING = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "cargo", "poetry", "uv"), "publish"),
    **dict.fromkeys(("docker", "podman", "gem"), "push"),
    "twine": "upload",
}
DESTROYING = frozenset(("destroy", "delete", "rm", "rb", "uninstall", "drop", "purge"))
APPLYING = named(
    """
    apply deploy upgrade install create update rollout scale up promote run sync cp mv put set patch replace
    exec release
    """
)
UPLOADING = named(
    """
    -d --data --data-binary --data-raw --data-urlencode -F --form -T --upload-file --json --post-file
    --post-data --body-file
    """
)
EVERYTHING = named(
    """
    / ~ $HOME ${HOME} $PWD * . .. C:
    /home /etc /usr /var /root /opt /lib /lib64 /bin /sbin /boot /dev /sys /proc /mnt /srv /users /system /library
    """
)
"""What nobody means to remove whole, without a slash or a star behind it."""
DEVICES = ("/dev/sd", "/dev/hd", "/dev/vd", "/dev/xvd", "/dev/nvme", "/dev/mmcblk", "/dev/disk", "/dev/mapper/")
_DROPPING = (
    r"(?i)\b(drop\W+(table|database|schema|collection|index|view|column|user|role|owned)\b|truncate\s|delete\W+from\b"
    r"|flushall|flushdb|dropdatabase)"
)
_OPENING = r"(?<![0-9])0?(?:777|666)(?![0-9])|\+[rwx]{0,3}s|\b[2467][0-7]{3}\b|\broot\b|[ao]\+[rx]{0,2}w"
_SENDING = r"-[#0-9afgijklnpqsvILMNORSVZ]*[dFT]"
_METHOD = r"(?:-[#0-9afgijklnpqsvILMNORSVZ]*X|--request=?|--method=?)(\w*)"


def base(word: str) -> str:
    """A program's name without its folder, in lower case: some file systems do not tell the cases apart."""
    return word.replace("\\", "/").rsplit("/", 1)[-1].lower().removesuffix(".exe")


def is_known(program: str) -> bool:
    """Whether a program is in the tables, by its name without its folder."""
    return program in _PLAIN or program in _BY_WORDS or program in INSTALLERS or program.startswith("mkfs")


def intents_of(words: "list[str]") -> "set[str]":
    """The intents of one command: a program and its words, without prefixes, redirections or pipes."""
    program, rest = base(words[0]), words[1:]
    if rest and PUBLISHING.get(program) in rest[:2]:
        return {"deploy"}
    if program in INSTALLERS and any(word in INSTALLING for word in rest[:2]):
        return {"install"}
    if program.startswith("mkfs"):
        return {"destroy_disk"}
    special = _BY_WORDS.get(program)
    return special(rest) if special is not None else {_PLAIN.get(program, "other")}


def _is_everything(word: str) -> bool:
    """Whether a word names the whole machine, home or project: `/`, `/*`, `/./`, `~/`, `"$HOME"/*`, `/{bin,etc}`."""
    if re.fullmatch(r"/\{[^/]*\}/?\*?", word):
        return True
    bare = word
    while len(bare) > 1 and bare.endswith(("/", "/*", "/.", "/..", "\\")):
        bare = bare[: -2 if bare.endswith(("/*", "/.")) else -3 if bare.endswith("/..") else -1] or "/"
    bare = re.sub(r"^/+", "/", re.sub(r"^(\./)+(?=.)", "", bare))
    return bare in EVERYTHING or bare.lower() in EVERYTHING or word in ("/*", "./*", "../*")


def _remove(rest: "list[str]") -> "set[str]":
    recursive = any(word.startswith("--r") or word == "/s" or re.match(r"-[a-zA-Z]*[rR]", word) for word in rest)
    unguarded = "--no-preserve-root" in rest
    return {"wipe"} if unguarded or (recursive and any(map(_is_everything, rest))) else {"delete"}


def _find(rest: "list[str]") -> "set[str]":
    removes = "-delete" in rest or (any(word.startswith("-exec") for word in rest) and "rm" in map(base, rest))
    if not removes:
        return {"read"}
    bare = {
        "-delete",
        "-exec",
        "-execdir",
        "-rf",
        "-f",
        "-r",
        "-fr",
        "-depth",
        "-xdev",
        "-mount",
        "-mindepth",
        "-maxdepth",
        "-H",
        "-L",
        "-P",
    }
    filtered = any(word.startswith("-") and word not in bare for word in rest)
    return {"wipe"} if not filtered and any(map(_is_everything, rest)) else {"delete"}


def _dd(rest: "list[str]") -> "set[str]":
    onto = [word[3:] for word in rest if word.startswith("of=")]
    return {"destroy_disk"} if any(word.startswith(DEVICES) for word in onto) else {"write"}


def _volume(rest: "list[str]") -> "set[str]":
    return (
        {"destroy_disk"}
        if any(word.lower().startswith(("destroy", "erase", "labelclear")) for word in rest)
        else {"system"}
    )


def _database(rest: "list[str]") -> "set[str]":
    return {"destroy_data"} if drops(" ".join(rest)) else {"database"}


def drops(text: str) -> bool:
    """Whether statements for a database destroy what is in it."""
    return re.search(_DROPPING, text) is not None


def _cloud(rest: "list[str]") -> "set[str]":
    words = [word for word in rest if not word.startswith("-")]
    destroys = any(word in DESTROYING or word.startswith(("delete-", "terminate-", "remove-")) for word in words)
    if destroys or any(word.lstrip("-") in ("destroy", "delete") for word in rest):
        return {"destroy_infrastructure"}
    if any(word.startswith(("secret", "get-secret")) for word in words):
        return {"read_secrets"}
    if any(word in APPLYING or word.startswith(("create-", "update-", "put-", "run-")) for word in words):
        return {"deploy"}
    return {"cloud"}


def _service(rest: "list[str]") -> "set[str]":
    if "status" in rest or "list-units" in rest or not rest:
        return {"read"}
    return {"persistence"} if "enable" in rest else {"system"}


def _container(rest: "list[str]") -> "set[str]":
    words = [word for word in rest if not word.startswith("-")]
    verb, second = [*words, "", ""][:2]
    if {verb, second} & {"rm", "rmi", "kill", "stop", "remove"} or "prune" in rest or "down" in rest:
        return {"delete"}
    if {"run", "exec"} & set(words[:3]):
        reaching = ("--privileged", "--cap-add", "--pid=host", "--device")
        leaves = any(word.startswith(reaching) or "/:/" in word or "docker.sock" in word for word in rest)
        return {"privilege"} if leaves else {"run_code"}
    return {"read"} if verb in ("ps", "images", "logs", "inspect", "version", "info") else {"build"}


def _fetch(rest: "list[str]") -> "set[str]":
    sends = any(word in UPLOADING or word.split("=")[0] in UPLOADING or re.match(_SENDING, word) for word in rest)
    return {"upload"} if sends or _changes(rest) else {"network"}


def _wget(rest: "list[str]") -> "set[str]":
    sends = any(word.startswith(("--post-", "--body-")) for word in rest)
    return {"upload"} if sends or _changes(rest) else {"network"}


def _httpie(rest: "list[str]") -> "set[str]":
    verbs = {"POST", "PUT", "PATCH", "DELETE"}
    return {"upload"} if any(word.upper() in verbs for word in rest[:4]) else {"network"}


def _changes(rest: "list[str]") -> bool:
    """Whether a request is one that changes something, by its method."""
    for at, word in enumerate(rest):
        match = re.fullmatch(_METHOD, word)
        if match is not None:
            method = match[1] or "".join(rest[at + 1 : at + 2])
            return method.upper() not in ("GET", "HEAD", "OPTIONS", "")
    return False


def _netcat(rest: "list[str]") -> "set[str]":
    return {"remote_shell"} if re.search(r"(^|\s)-[ec]\b|exec:", " ".join(rest).lower()) else {"network"}


def _copy_away(rest: "list[str]") -> "set[str]":
    if any(word.startswith("--del") for word in rest):
        return {"delete"}
    if rest and remote(rest[-1]):
        return {"upload"}
    return {"network"} if any(remote(word) for word in rest) else {"write"}


def _environment(rest: "list[str]") -> "set[str]":
    return {"read_secrets"}


def _permissions(rest: "list[str]") -> "set[str]":
    return {"privilege"} if any(re.search(_OPENING, word[:100]) for word in rest) else {"write"}


def _edit(rest: "list[str]") -> "set[str]":
    inplace = any(word.startswith("--in-place") or re.match(r"-[a-zA-Z]*i", word) for word in rest)
    return {"write"} if inplace else {"read"}


def _perl(rest: "list[str]") -> "set[str]":
    return {"run_code"} | (_edit(rest) - {"read"})


def remote(word: str) -> bool:
    """Whether a word names a file on another machine, as `scp` writes it."""
    windows = re.match(r"[A-Za-z]:[/\\]", word)
    return windows is None and re.match(r"([\w.-]+@)?[\w.-]+:", word) is not None


_BY_WORDS: "dict[str, Callable[[list[str]], set[str]]]" = {
    "git": git,
    "gh": github,
    "find": _find,
    "dd": _dd,
    "sed": _edit,
    "perl": _perl,
    "env": _environment,
    "printenv": _environment,
    **dict.fromkeys(("rm", "rmdir", "unlink", "shred", "srm", "del", "rimraf", "trash"), _remove),
    **dict.fromkeys(("chmod", "chown", "chgrp"), _permissions),
    **dict.fromkeys(("scp", "rsync"), _copy_away),
    **dict.fromkeys(("systemctl", "service"), _service),
    **dict.fromkeys(("docker", "podman", "docker-compose"), _container),
    **dict.fromkeys(("http", "https", "httpie", "xh"), _httpie),
    "curl": _fetch,
    "wget": _wget,
    **dict.fromkeys(("zpool", "zfs", "diskutil"), _volume),
    **dict.fromkeys(("nc", "ncat", "netcat", "socat"), _netcat),
    **dict.fromkeys(DATABASES, _database),
    **dict.fromkeys(
        named(
            """
        aws gcloud az kubectl oc helm terraform tofu pulumi flyctl fly vercel netlify heroku gsutil eksctl doctl ansible
        ansible-playbook
        """
        ),
        _cloud,
    ),
}
