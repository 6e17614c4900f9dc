import Glibc

// Does what systemd does for a socket unit: `SocketActivator PATH PROGRAM ARGUMENT …` listens on a
// socket and, when a client connects, starts the program with the socket as its descriptor 3. When
// the program ends, it listens again, until it is killed.

let words = CommandLine.arguments
guard words.count > 2 else { exit(2) }

/// Exits with the name of the operation that failed.
func fail(_ what: String) -> Never {
    perror(what)
    exit(1)
}

var address = sockaddr_un()
address.sun_family = sa_family_t(AF_UNIX)
let path = Array(words[1].utf8)
guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { exit(2) }
withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
unlink(words[1])
let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
let isBound = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
    }
}
guard isBound, listen(listener, 64) == 0 else { fail("listen") }
print("listening")
fflush(nil)
while true {
    var entry = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, -1) > 0 else { continue }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, listener, 3)
    // Only the child itself knows its process number.
    let script = "export LISTEN_PID=$$ LISTEN_FDS=1 LISTEN_FDNAMES=pawld.socket; exec \"$@\""
    var arguments = (["sh", "-c", script, "sh"] + words.dropFirst(2)).map { strdup($0) } + [nil]
    var child: pid_t = 0
    guard posix_spawn(&child, "/bin/sh", &actions, nil, &arguments, environmentOfThis()) == 0
    else { fail("spawn") }
    print("started \(child)")
    fflush(nil)
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    print("ended \(child): \(status)")
    fflush(nil)
    for argument in arguments { free(argument) }
    posix_spawn_file_actions_destroy(&actions)
}

/// Reads `/proc`, because Swift 6 rejects the global variable `environ`.
func environmentOfThis() -> [UnsafeMutablePointer<CChar>?] {
    guard let file = fopen("/proc/self/environ", "re") else { return [nil] }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    let variables = bytes.prefix(count).split(separator: 0)
    return variables.map { strdup(String(decoding: $0, as: UTF8.self)) } + [nil]
}
