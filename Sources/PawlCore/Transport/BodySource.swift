/// The body of a request, which is read while it is sent.
///
/// One exchange at a time reads a source, on a thread of the transport. A call must not block: a
/// source without bytes answers `.later`, and calls the closure that it was given as soon as it has
/// some.
package protocol BodySource: AnyObject, Sendable {
    /// The number of bytes; `nil` if it is known only at the end.
    ///
    /// It does not change while an exchange reads the source.
    var length: Int64? { get }

    /// Whether the body can be read again from its first byte, after bytes of it were read.
    var isRepeatable: Bool { get }

    /// The names of the fields that follow the body (RFC 9110 §6.5), which are announced before it.
    ///
    /// They are sent only over HTTP/1.1: libcurl cannot send them over HTTP/2.
    var trailerNames: [String] { get }

    /// The fields that follow the body.
    ///
    /// They are requested once the body has ended.
    var trailers: [HTTPField] { get }

    /// Begins at the first byte, before the first call of `read` and whenever the body must be sent
    /// again.
    ///
    /// Returns `false` if that is not possible. A source of which nothing was read must return
    /// `true`.
    ///
    /// - Parameter wake: Continues an exchange that was answered `.later`. Any thread may call it,
    ///   at any time and any number of times, even after the exchange has ended.
    func begin(_ wake: @escaping @Sendable () -> Void) -> Bool

    /// Copies the next bytes to the buffer, which is not empty.
    ///
    /// It may be called again after `.later` although the source has not asked for it.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyReading
}

extension BodySource {
    package var trailerNames: [String] { [] }
    package var trailers: [HTTPField] { [] }
}

/// What a source of a body answers when bytes are read.
package enum BodyReading: Hashable, Sendable {
    /// The number of bytes copied to the buffer, at least one.
    case bytes(Int)
    /// There are no bytes yet.
    case later
    /// The body is complete.
    case end
    /// The body cannot be read; the text is the reason.
    ///
    /// The exchange fails, so that the server does not take what was sent for the whole body.
    case failed(String)
}
