"""Which words of which programs act elsewhere or change a machine, and which options take a value."""

from __future__ import annotations

from compactor_cli.features.work.programs import PLATFORM_PROGRAMS, TARGET_RUNNERS
from compactor_cli.text.shell import word_set

PUBLISHERS = word_set("npm pnpm yarn cargo poetry bun gem uv")
PUBLISHING_VERBS = word_set("publish unpublish yank deprecate")
PUBLISH_VALUE_OPTIONS = word_set(
    "-C --prefix --cwd --dir --filter -F -w --workspace --registry --tag -p --package --access --otp --token --index "
    "--repository -r -u --username"
)
"""Options of publishing programs that take a value."""
PACKAGE_OPTIONS = word_set("--tag -p --package")
"""Options that name what is published."""
HOSTING_PROGRAMS = word_set("vercel netlify fly flyctl wrangler firebase cdk serverless sls")
ACTS = {
    **dict.fromkeys(("docker", "podman"), word_set("push rm rmi")),
    "docker-compose": word_set("up down restart stop start rm kill"),
    **dict.fromkeys(
        ("redis-cli", "valkey-cli"),
        word_set(
            "set setex setnx mset getset append del unlink expire expireat persist rename incr incrby decr decrby hset "
            "hmset hdel hincrby lpush rpush lpop rpop lset lrem ltrim sadd srem spop zadd zrem zincrby xadd xdel "
            "publish flushdb flushall copy move restore"
        ),
    ),
    **dict.fromkeys(
        ("kubectl", "oc"),
        word_set(
            "apply delete create scale rollout patch replace set label annotate taint drain cordon uncordon edit "
            "autoscale expose"
        ),
    ),
    **dict.fromkeys(("terraform", "tofu"), word_set("apply destroy import force-unlock taint untaint state workspace")),
    "pulumi": word_set("up destroy import cancel state stack"),
    "helm": word_set("install upgrade uninstall rollback"),
    "twine": word_set("upload"),
    **dict.fromkeys(HOSTING_PROGRAMS, word_set("deploy publish destroy")),
    "hg": word_set("commit push"),
    "svn": word_set("commit ci"),
    "dvc": word_set("push"),
    "systemctl": word_set("start stop restart enable disable"),
    "glab": word_set("mr issue"),
    "alembic": word_set("upgrade downgrade stamp"),
    "flyway": word_set("migrate clean undo repair"),
    "manage.py": word_set("migrate flush loaddata"),
    "artisan": word_set("migrate"),
    "prisma": word_set("migrate"),
}
"""Programs that act elsewhere, with the words that make them do so."""
LOOKING_WORDS = word_set("status history list ls view show diff checkout --check --plan --sql --list")
"""Words with which these programs only look: `kubectl rollout status`."""
GROUPS = {
    "state": word_set("rm mv push delete move replace-provider"),
    "workspace": word_set("delete"),
    "stack": word_set("rm"),
}
"""Words that another verb has to follow: `terraform state rm`."""
VALUE_OPTIONS = word_set("-n --namespace --context --kubeconfig --profile --region -c --config")
"""Options with a value that precede the verb of a program."""
ANY_VERBS = word_set("create close reopen comment publish deploy approve assign resolve update delete push commit note")
"""Words with which any program acts elsewhere, such as an issue tracker."""
PART_VERBS = word_set("add remove set edit put restart rollback trigger")
"""Words that act after the name of a part: `bd dep add`."""
ENDING_VERBS = word_set("unset destroy rm")
"""Words that act after the name of a part of what is hosted: `fly apps destroy`."""
FILE_PROGRAMS = (
    TARGET_RUNNERS
    | PLATFORM_PROGRAMS
    | PUBLISHERS
    | word_set(
        "git gh docker echo printf grep rg find ls cat cd man which sed awk mkdir rmdir rm cp mv ln touch chmod "
        "chown head tail less more wc diff sort uniq test [ [[ type alias kill pkill pgrep ps jq yq xargs tee "
        "source . export set for while until if case local declare read vim vi nano code open tar zip unzip du df "
        "stat file basename dirname cut tr nl cmp curl wget ssh scp rsync tree tmux time sleep true sqlite3 psql "
        "mysql"
    )
    | word_set(
        "apt apt-get brew pip pip3 pipx conda mamba rustup nvm asdf pyenv snap dnf yum apk pacman port choco "
        "winget scoop composer bundle opam luarocks nix sam pre-commit ip nmcli redis-cli jj tlmgr flatpak "
        "softwareupdate pod carthage vagrant bower volta fnm claude codex"
    )
)
"""Programs that use these words for other things: files, installed packages, a working copy."""
CLOUD_VERBS = word_set(
    "create delete put update deploy start stop terminate run invoke publish send tag untag attach detach register "
    "deregister modify reboot restore enable disable add remove copy upload import execute associate disassociate"
)
"""First words of actions that change something in a cloud service."""
REMOTE_LOOKING_PROGRAMS = word_set(
    "ls cat head tail less grep egrep rg find ps df du free uptime whoami hostname uname date which stat "
    "journalctl id pwd env printenv echo test wc top netstat ss ifconfig ping dig true exit cd file sort uniq awk "
    "readlink lsof dmesg nproc md5sum sha1sum sha256sum cut tr diff cmp zcat zgrep strings lsblk lscpu who w "
    "last for done fi"
)
"""Programs with which one only looks around on another host."""
LOOKING_OPTIONS = {
    **dict.fromkeys(
        ("ansible-playbook", "ansible-pull"),
        word_set("--check -C --syntax-check --list-hosts --list-tasks --list-tags --version"),
    ),
    "crontab": word_set("-l -e"),
}
"""Programs that act whatever they are given, except with these options."""
OWN_VALUE_OPTIONS = {
    "docker-compose": word_set("-f --file -p --project-name --env-file --profile --project-directory"),
    **dict.fromkeys(("redis-cli", "valkey-cli"), word_set("-h -p -n -a -u --user --pass -s -i -r")),
}
"""Options with a value that precede the verb of certain programs."""
