internal import CPlatform
internal import Glibc

/// The settings that a thread needs before it calls libcurl.
struct ThreadSurroundings {
    private let utf8: locale_t?
    private let previous: locale_t?

    init() {
        // SIGPIPE matters most: libcurl with `CURLOPT_NOSIGNAL` does not suppress it when TLS writes
        // to a closed connection.
        pawl_block_signals()
        // libcurl passes names to libidn2 in the locale's encoding. A program that has set no
        // locale has ASCII, so names with other characters could not be converted to punycode.
        utf8 = newlocale(Int32(LC_CTYPE_MASK), "C.UTF-8", nil)
        previous = utf8.flatMap { uselocale($0) }
    }

    func leave() {
        guard let utf8 else { return }
        uselocale(previous)
        freelocale(utf8)
    }
}
