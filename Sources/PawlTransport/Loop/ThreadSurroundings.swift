internal import Glibc

/// What a thread of libcurl needs around it.
struct ThreadSurroundings {
    private let utf8: locale_t?
    private let previous: locale_t?

    init() {
        Self.blockSignals()
        // libcurl hands names to libidn2 in the locale's encoding, and a program that has set no
        // locale has ASCII: then names beyond it could not be turned into punycode.
        utf8 = newlocale(Int32(LC_CTYPE_MASK), "C.UTF-8", nil)
        previous = utf8.flatMap { uselocale($0) }
    }

    func leave() {
        guard let utf8 else { return }
        uselocale(previous)
        freelocale(utf8)
    }

    /// Leaves signals to the program's own threads.
    ///
    /// Above all SIGPIPE: libcurl, told to leave signals
    /// alone (`CURLOPT_NOSIGNAL`), does not keep it away when TLS writes to a closed connection.
    private static func blockSignals() {
        var signals = sigset_t()
        sigfillset(&signals)
        for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS] {
            sigdelset(&signals, fault)
        }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
