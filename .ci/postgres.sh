#!/usr/bin/env bash
# A real PostgreSQL with pgvector, for the tests: start prints its URL as the last line, stop ends it
# and removes its data, restart [fast|immediate] keeps them. Starting twice gives the same server.
#
# A server of this machine is used when it has pgvector; else PostgreSQL 17 is unpacked once, with
# debootstrap (root, some 30 s), and runs in a chroot as an unprivileged user.
#
#   LOAM_PG_ROOT   the unpacked system         (default ~/.cache/loam/postgres-17)
#   LOAM_PG_NAME   one server for each name    (default: the checkout)
#   LOAM_PG_DIR    where its data lie, as the server sees it (default /tmp)
#   LOAM_PG_FSYNC  off: faster, loses data in a power cut    (default on)
set -euo pipefail
exec </dev/null

here=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/loam
given=${LOAM_PG_ROOT:-}
root=${given:-$cache/postgres-17}
name=${LOAM_PG_NAME:-$(printf %s "$here" | cksum | cut -d ' ' -f 1)}
state=$cache/server-$name

say() { echo "$@" >&2; }
die() {
  say "postgres.sh: $*"
  exit 1
}

# The newest installed release, 15 or later, that has pgvector; below $1.
installed() {
  local version
  for version in 18 17 16 15; do
    [ -x "$1/usr/lib/postgresql/$version/bin/postgres" ] || continue
    [ -e "$1/usr/share/postgresql/$version/extension/vector.control" ] || continue
    echo "$1/usr/lib/postgresql/$version/bin"
    return
  done
}

unpack() {
  [ "$(id -u)" = 0 ] || die 'no PostgreSQL with pgvector is installed here, and unpacking one needs root; set LOAM_TEST_DATABASE_URL instead'
  if ! PATH=$PATH:/usr/sbin command -v debootstrap >/dev/null; then
    say 'installing debootstrap'
    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y debootstrap debian-archive-keyring; } >&2
  fi
  local mirror fresh=$root.new-$$
  mirror=$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null | head -n 1 || true)
  say "unpacking PostgreSQL 17 into $root"
  mkdir -p "$(dirname "$root")"
  rm -rf "$root".new-*
  PATH=$PATH:/usr/sbin debootstrap --variant=minbase --include=postgresql-17,postgresql-17-pgvector trixie \
    "$fresh" "${mirror:-http://deb.debian.org/debian}" >"$cache/debootstrap.log" 2>&1 ||
    die "debootstrap failed, see $cache/debootstrap.log"
  mv "$fresh" "$root"
}

# Sets $jail (the chroot, or empty) and $bin (as seen from inside it).
find_server() {
  jail='' bin=''
  if [ -z "$given" ]; then bin=$(installed ''); fi
  if [ -n "$bin" ]; then return; fi
  if [ -z "$(installed "$root")" ]; then unpack; fi
  jail=$root
  bin=$(installed "$root")
  bin=${bin#"$root"}
}

# Runs a program of the server as the user it belongs to.
as_server() {
  if [ -n "$jail" ]; then
    "$(PATH=$PATH:/usr/sbin command -v chroot)" --userspec=postgres:postgres "$jail" \
      /usr/bin/env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 "$@"
  elif [ "$(id -u)" = 0 ]; then
    (cd / && env -i PATH=/usr/bin:/bin LC_ALL=C.UTF-8 setpriv --reuid=postgres --regid=postgres --init-groups "$@")
  else
    "$@"
  fi
}

control() { as_server "$bin/pg_ctl" -D "$data" -l "$data.log" -s -w -t 60 "$@" >&2; }

start_on() {
  # No socket: its path would be the only thing of ours outside of the data directory.
  control start -o "-p $1 -c listen_addresses=127.0.0.1 -c unix_socket_directories='' \
    -c max_connections=200 -c fsync=${LOAM_PG_FSYNC:-on}"
}

load_state() {
  [ -e "$state" ] || return 1
  # shellcheck disable=SC1090
  . "$state"
}

start() {
  mkdir -p "$cache"
  chmod 700 "$cache"
  exec 9>"$state.lock"
  flock 9
  if load_state; then
    if as_server "$bin/pg_ctl" -D "$data" status >/dev/null 2>&1; then
      echo "$url"
      return
    fi
    if start_on "$port" 9>&-; then
      echo "$url"
      return
    fi
    remove
  fi
  find_server
  local password try
  password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  data=$(as_server /usr/bin/mktemp -d "${LOAM_PG_DIR:-/tmp}/loam-$name-XXXXXX")/cluster
  as_server /bin/sh -c 'printf "%s\n" "$1" >"$2.password"' sh "$password" "$data"
  as_server "$bin/initdb" -D "$data" -U loam -A scram-sha-256 --pwfile="$data.password" \
    -E UTF8 --locale=C.UTF-8 --no-sync >/dev/null
  for try in 1 2 3 4 5 6 7 8; do
    port=$((20000 + RANDOM % 12000))
    # The server must not inherit the lock, or it would hold it for its whole life.
    if start_on "$port" 9>&-; then break; fi
    [ "$try" -lt 8 ] || die "the server does not start, see $jail$data.log"
  done
  url=postgres://loam:$password@127.0.0.1:$port/postgres
  (umask 077 && printf "jail='%s'\nbin='%s'\ndata='%s'\nport='%s'\nurl='%s'\n" \
    "$jail" "$bin" "$data" "$port" "$url" >"$state")
  echo "$url"
}

remove() {
  control stop -m fast 2>/dev/null || true
  rm -rf "$jail${data%/cluster}"
  rm -f "$state"
}

case ${1:-} in
  start) start ;;
  stop)
    if load_state; then remove; fi
    ;;
  restart)
    load_state || die 'nothing was started'
    control stop -m "${2:-fast}"
    start_on "$port"
    echo "$url"
    ;;
  *) die 'say start, stop or restart [fast|immediate]' ;;
esac
