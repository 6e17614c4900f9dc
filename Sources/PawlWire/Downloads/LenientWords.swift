internal import PawlCore

/// Words of a newer daemon: what it tells stays readable, as these stand in each row of a list.
///
/// The compiler takes these in the coding that it writes, where a value must be there: in answers. What may
/// be left out, as in requests, is read to the letter.
extension KeyedDecodingContainer {
    /// A state that is not known is none that has ended.
    func decode(_: TaskState.Type, forKey key: Key) throws -> TaskState {
        TaskState(rawValue: try decode(String.self, forKey: key)) ?? .waiting
    }

    func decode(_: WirePriority.Type, forKey key: Key) throws -> WirePriority {
        WirePriority(rawValue: try decode(String.self, forKey: key)) ?? .normal
    }

    /// What is not known is not tried again.
    func decode(_: RetryClass.Type, forKey key: Key) throws -> RetryClass {
        RetryClass(rawValue: try decode(String.self, forKey: key)) ?? .never
    }
}
