internal import CBench
internal import Glibc

enum Launcher {
    /// Runs a program and writes one line when it begins and one when it has ended: the moment in
    /// nanoseconds; then the moment, user and system time in microseconds, the peak in KiB and the
    /// status as `wait` has it.
    static func measure(_ command: [String], in folder: String, result: String) -> Never {
        guard chdir(folder) == 0 else { fail("no folder \(folder)") }
        guard let file = fopen(result, "we") else { fail("cannot write \(result)") }
        let began = now()
        fputs("\(began)\n", file)
        fflush(file)
        var process: pid_t = 0
        let code = withStrings(command) {
            posix_spawnp(&process, command[0], nil, nil, $0, bench_environment())
        }
        guard code == 0 else { fail("\(command[0]): \(String(cString: strerror(code)))") }
        var status: Int32 = 0
        var usage = rusage()
        while wait4(process, &status, 0, &usage) < 0 {
            guard errno == EINTR else { fail("wait4: \(String(cString: strerror(errno)))") }
        }
        let user = microseconds(usage.ru_utime)
        let system = microseconds(usage.ru_stime)
        fputs("\(now()) \(user) \(system) \(usage.ru_maxrss) \(status)\n", file)
        fclose(file)
        exit(0)
    }

    static func become(_ command: [String]) -> Never {
        _ = bench_end_with_parent(SIGTERM)
        withStrings(command) { _ = execvp(command[0], $0) }
        fail("\(command[0]): \(String(cString: strerror(errno)))")
    }

    static func fail(_ text: String) -> Never {
        let line = "launch: \(text)\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        exit(125)
    }

    private static func now() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private static func microseconds(_ time: timeval) -> Int64 {
        Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_usec)
    }

    private static func withStrings<Result>(
        _ strings: [String],
        _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}
