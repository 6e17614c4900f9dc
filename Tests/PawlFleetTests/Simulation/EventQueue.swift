import HeapModule
import PawlCore

/// What will happen, by time.
struct EventQueue<Value> {
    /// The heap moves these, and not the values with their references.
    private struct Key: Comparable {
        var at: Int64
        var order: Int
        var slot: Int

        static func < (left: Key, right: Key) -> Bool {
            (left.at, left.order) < (right.at, right.order)
        }
    }

    private var keys = Heap<Key>()
    private var values: [Value?] = []
    private var free: [Int] = []
    private var order = 0

    /// Inserts an event behind those of the same time.
    mutating func insert(_ value: Value, at moment: Moment) {
        order += 1
        let slot = free.popLast() ?? values.count
        if slot == values.count { values.append(value) } else { values[slot] = value }
        keys.insert(Key(at: moment.nanoseconds, order: order, slot: slot))
    }

    mutating func popFirst() -> (at: Moment, value: Value)? {
        guard let key = keys.popMin(), let value = values[key.slot] else { return nil }
        values[key.slot] = nil
        free.append(key.slot)
        return (Moment(nanoseconds: key.at), value)
    }
}
