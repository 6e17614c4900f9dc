/// What a scripted bucket does with one request besides, or in place of, its work.
package enum BucketFault: Sendable {
    /// Answers an error; with `afterEffect`, the operation has been carried out before.
    case answer(Int, String, afterEffect: Bool = false)
    /// Answers 200 with an error in the document, as S3 may do for requests that take long.
    case errorDocument(String, afterEffect: Bool = false)
    /// Ends the connection without an answer before the operation is carried out.
    case cutBefore(Ending = .reset)
    /// Ends the connection without an answer after the operation has been carried out: the client
    /// does not learn the outcome.
    case cutAfter(Ending = .reset)
    /// Reads the body at this speed, then carries out the operation.
    ///
    /// The kernels of both sides hold up to some megabytes besides.
    case slowBody(bytesPerSecond: Int64)
    /// Waits until the test opens the latch before it reads the body, and before it asks for it
    /// with `100 Continue`; then carries out the operation.
    case holdBody(Latch)
    /// Ends the connection once it has read this many bytes of the body.
    case cutBody(after: Int, Ending = .reset)
    /// Waits until the test opens the latch, then carries out the operation.
    ///
    /// If the client disconnects first, the operation is not carried out.
    case holdBefore(Latch)
    /// Carries out the operation, then waits until the test opens the latch.
    case holdAfter(Latch)
    /// Waits, then carries out the operation.
    case delay(Duration)
    /// Carries out the operation, but names another ETag and other checksums in the answer, as if
    /// it had received other bytes.
    case wrongDigests
    /// Carries out the operation, and changes how its answer is sent: its speed, or where it ends.
    case change(@Sendable (inout ResponsePlan) -> Void)

    /// Whether the operation is carried out before the fault, if there is one.
    var allowsEffect: Bool {
        switch self {
        case .answer(_, _, let isAfter), .errorDocument(_, let isAfter): isAfter
        case .cutBefore, .cutBody: false
        case .cutAfter, .holdBefore, .holdAfter, .delay, .slowBody, .holdBody, .wrongDigests,
            .change:
            true
        }
    }
}
