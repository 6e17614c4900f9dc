internal import CBench
internal import Glibc

enum Launcher {
    /// Runs a program, and writes one line before its start and one after its end.
    ///
    /// The first line contains the time in nanoseconds. The second contains the time, the user and
    /// system time in microseconds, the peak memory in KiB, and the status as from `wait`.
    static func measure(_ command: [String], in folder: String, result: String) -> Never {
        guard chdir(folder) == 0 else { fail("cannot enter the folder \(folder)") }
        guard let file = fopen(result, "we") else { fail("cannot write \(result)") }
        let began = now()
        fputs("\(began)\n", file)
        fflush(file)
        let process = bench_fork()
        guard process >= 0 else { fail("fork: \(String(cString: strerror(errno)))") }
        if process == 0 { exchange(command) }
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
        exchange(command)
    }

    static func fail(_ text: String) -> Never {
        let line = "launch: \(text)\n"
        _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
        // In a child, `exit` would write the parent's buffers again.
        _exit(125)
    }

    /// Replaces this process by another program.
    private static func exchange(_ command: [String]) -> Never {
        withStrings(command) { _ = execvp(command[0], $0) }
        fail("\(command[0]): \(String(cString: strerror(errno)))")
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
