/// A row of a result.
package struct StoreRow {
    private let columns: ResultColumns
    /// The values of all columns, from left to right.
    package let values: [SQLValue]

    package init(_ columns: ResultColumns, _ values: [SQLValue]) {
        (self.columns, self.values) = (columns, values)
    }

    /// The value of a column; a column that the result does not have is NULL.
    ///
    /// - Throws: `WrongColumnType` if the column has a value of another type, or is NULL and
    ///   `Value` is not optional.
    package subscript<Value: SQLDecodable>(name: String) -> Value {
        get throws {
            guard let value = Value.decoded(from: value(of: name)) else {
                throw WrongColumnType(column: name)
            }
            return value
        }
    }

    /// The value of the column at an index, which must exist.
    package subscript<Value: SQLDecodable>(index: Int) -> Value {
        get throws {
            guard let value = Value.decoded(from: values[index]) else {
                throw WrongColumnType(column: "\(index)")
            }
            return value
        }
    }

    /// Returns the value of a column; `nil` if it is NULL or has another type, or if the result has
    /// no such column.
    ///
    /// In a damaged store, any value may have the wrong type.
    package func ifValid<Value: SQLDecodable>(_ name: String) -> Value? {
        Value.decoded(from: value(of: name))
    }

    private func value(of name: String) -> SQLValue {
        columns.index(of: name).map { values[$0] } ?? .null
    }
}

/// The names of the columns of a result.
///
/// The index of a name is searched once per result: all rows are read in the same order, so that
/// the next name is mostly the one that followed in the row before.
package final class ResultColumns {
    package let names: [String]
    /// The names that were read in the first row, in this order, and others that were read later.
    private var known: [(name: String, index: Int?)] = []
    /// The index in `known` of the name that is expected next.
    private var next = 0

    package init(_ names: [String]) { self.names = names }

    /// Returns the index of a column; `nil` if there is none of this name.
    ///
    /// A database may write all names in lower case.
    package func index(of name: String) -> Int? {
        if next == known.count { next = 0 }
        if next < known.count, known[next].name == name {
            next += 1
            return known[next - 1].index
        }
        if let found = known.firstIndex(where: { $0.name == name }) {
            next = found + 1
            return known[found].index
        }
        let lowercased = name.lowercased()
        let index =
            names.firstIndex(of: name) ?? names.firstIndex { $0.lowercased() == lowercased }
        known.append((name, index))
        next = known.count
        return index
    }
}
