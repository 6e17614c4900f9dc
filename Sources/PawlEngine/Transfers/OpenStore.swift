internal import Synchronization

/// The download's store, once it is open.
///
/// Network threads look it up before their first write.
final class OpenStore: Sendable {
    private let store = Mutex<(any TargetStore)?>(nil)

    var current: (any TargetStore)? {
        get { store.withLock { $0 } }
        set { store.withLock { $0 = newValue } }
    }
}
