/// The members that an object in a request may have.
///
/// A decoder ignores unknown members, so a mistyped one would have no effect: `isPausd` would start
/// a download.
package struct KnownMembers: Sendable, Hashable {
    /// The known members of the objects in the value of each member; `nil` if the value contains no
    /// objects.
    private let values: [String: KnownMembers?]

    package init(_ names: [String], objects: [String: KnownMembers] = [:]) {
        values = Dictionary(names.map { ($0, objects[$0]) }) { first, _ in first }
    }

    /// The members with the keys of a type.
    ///
    /// `objects`: the known members of the values that are objects or lists of objects.
    package init<Key: CodingKey & CaseIterable & Hashable>(
        _ keys: Key.Type,
        objects: [Key: KnownMembers] = [:]
    ) {
        values = Dictionary(keys.allCases.map { ($0.stringValue, objects[$0]) }) { first, _ in first
        }
    }

    /// The members of the chosen settings.
    package init<Root>(of table: SettingTable<Root>, _ isIncluded: (Setting<Root>) -> Bool) {
        var values: [String: KnownMembers?] = [:]
        for setting in table.settings where isIncluded(setting) {
            guard let member = setting.member else { continue }
            let inner = setting.innerMembers
            values.updateValue(inner.isEmpty ? nil : KnownMembers(inner), forKey: member)
        }
        self.values = values
    }

    private init(values: [String: KnownMembers?]) { self.values = values }

    /// Returns the members of both.
    package func union(_ other: KnownMembers) -> KnownMembers {
        KnownMembers(values: values.merging(other.values) { first, _ in first })
    }

    /// The names, sorted.
    package var names: [String] { values.keys.sorted() }

    /// The known members of the objects in the value of a member.
    package subscript(name: String) -> KnownMembers? { values[name] ?? nil }

    /// Checks an object, or each object of a list.
    ///
    /// Values of other kinds are not checked, because the decoder reports them.
    ///
    /// - Throws: `UnknownMember`.
    package func check(_ decoder: any Decoder) throws {
        guard try !checkObject(decoder), var items = try? decoder.unkeyedContainer() else { return }
        // The first item that is not an object ends the check, since each takes a failed attempt.
        while !items.isAtEnd, try checkObject(try items.superDecoder()) {}
    }

    /// Returns whether the value is an object.
    private func checkObject(_ decoder: any Decoder) throws -> Bool {
        guard let members = try? decoder.container(keyedBy: MemberKey.self) else { return false }
        for key in members.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
            guard let inner = values[key.stringValue] else {
                throw UnknownMember(path: members.codingPath + [key], known: names)
            }
            try inner?.check(try members.superDecoder(forKey: key))
        }
        return true
    }
}

/// A member of a request that is not known.
package struct UnknownMember: Error {
    /// The path from the outermost object.
    package let path: [any CodingKey]
    /// The members that are known there.
    package let known: [String]
}

/// The name of any member.
struct MemberKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
