/// Stands for the argument `nil` in place of a delegate.
///
/// Its name is part of the compiler's message for any other argument whose class is not known.
@_documentation(visibility: internal)
public struct `nil, or a delegate whose class is known: otherwise, use anyDelegate`:
    ExpressibleByNilLiteral, Sendable
{
    /// Creates the value of `nil`.
    public init(nilLiteral: ()) {}
}
