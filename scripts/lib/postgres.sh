# Starts PostgreSQL for tests. Read by other scripts.

# Starts a server in a folder of its own, and sets `postgres_address`. The server ends with the script.
start_postgres() {
    postgres_programs=$(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin | sort -V | tail -n 1)
    [ -n "$postgres_programs" ] || { echo "PostgreSQL is not installed: scripts/setup --tests" >&2 && return 1; }
    postgres_folder=$(mktemp -d)
    postgres_user=()
    # The server refuses to run as root.
    if [ "$(id -u)" = 0 ]; then
        chown postgres "$postgres_folder"
        postgres_user=(runuser -u postgres --)
    fi
    trap stop_postgres EXIT
    "${postgres_user[@]}" "$postgres_programs/initdb" --pgdata="$postgres_folder/data" --username=pawl --auth=trust \
        --encoding=UTF8 --locale=C --no-sync --no-instructions >/dev/null
    "${postgres_user[@]}" "$postgres_programs/pg_ctl" --pgdata="$postgres_folder/data" --log="$postgres_folder/log" \
        --options="-c listen_addresses= -c unix_socket_directories=$postgres_folder -c fsync=off -c max_connections=300" \
        --wait start >/dev/null
    # shellcheck disable=SC2034 # for the script that reads this file
    postgres_address="host=$postgres_folder user=pawl dbname=postgres"
}

stop_postgres() {
    "${postgres_user[@]}" "$postgres_programs/pg_ctl" --pgdata="$postgres_folder/data" --mode=immediate --wait stop \
        >/dev/null 2>&1 || true
    rm -rf "$postgres_folder"
}
