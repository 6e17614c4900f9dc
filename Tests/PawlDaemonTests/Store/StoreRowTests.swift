import PawlDaemon
import Testing

/// The values of columns and parameters, and rows of results.
@Suite(.timeLimit(.minutes(5)))
struct StoreRowTests {
    @Test func `values are stored in the form of their type`() {
        #expect(7.sqlValue == .integer(7))
        #expect(Int64.min.sqlValue == .integer(.min))
        #expect(1.5.sqlValue == .real(1.5))
        #expect("a".sqlValue == .text("a"))
        #expect([true.sqlValue, false.sqlValue] == [.integer(1), .integer(0)])
        #expect(([0, 255] as [UInt8]).sqlValue == .bytes([0, 255]))
    }

    @Test func `values are read as they were stored`() {
        #expect(Int.decoded(from: (-7).sqlValue) == -7)
        #expect(Int64.decoded(from: Int64.max.sqlValue) == .max)
        #expect(Double.decoded(from: 1.5.sqlValue) == 1.5)
        #expect(String.decoded(from: "".sqlValue)?.isEmpty == true)
        #expect(Bool.decoded(from: true.sqlValue) == true)
        #expect(Bool.decoded(from: false.sqlValue) == false)
        #expect([UInt8].decoded(from: ([1, 2] as [UInt8]).sqlValue) == [1, 2])
        // An expression such as COALESCE(notBefore, 0) is an integer.
        #expect(Double.decoded(from: .integer(2)) == 2)
    }

    @Test(arguments: [SQLValue.null, .integer(1), .real(1), .text("1"), .bytes([0x31])])
    func `a value of another type is not converted`(value: SQLValue) {
        let isInteger = value == .integer(1)
        #expect((Int64.decoded(from: value) != nil) == isInteger)
        #expect((Int.decoded(from: value) != nil) == isInteger)
        #expect((Bool.decoded(from: value) != nil) == isInteger)
        #expect((Double.decoded(from: value) != nil) == (isInteger || value == .real(1)))
        #expect((String.decoded(from: value) != nil) == (value == .text("1")))
        #expect(([UInt8].decoded(from: value) != nil) == (value == .bytes([0x31])))
    }

    @Test func `NULL is nil, and an error where a value is needed`() throws {
        let row = StoreRow(ResultColumns(["path"]), [.null])
        #expect(try row["path"] as String? == nil)
        #expect(try row[0] as Int64? == nil)
        #expect(throws: WrongColumnType(column: "path")) { try row["path"] as String }
        #expect(throws: WrongColumnType(column: "0")) { try row[0] as Int64 }
    }

    @Test func `a value of another type is an error, or left out`() throws {
        let row = StoreRow(ResultColumns(["id", "name"]), [.text("1"), .text("a")])
        #expect(throws: WrongColumnType(column: "id")) { try row["id"] as Int64 }
        #expect(throws: WrongColumnType(column: "id")) { try row["id"] as Int64? }
        #expect(row.ifValid("id") as Int64? == nil)
        #expect(row.ifValid("name") as String? == "a")
    }

    @Test func `columns are found by name in any order, in the case of the database`() throws {
        let columns = ResultColumns(["id", "totalbytes", "name"])
        for number in 1...3 {
            let values: [SQLValue] = [.integer(Int64(number)), .integer(9), .text("\(number)")]
            let row = StoreRow(columns, values)
            #expect(try row["name"] == "\(number)")
            // A column that only some rows need.
            if number == 2 { #expect(try row["missing"] as String? == nil) }
            #expect(try row["id"] == number)
            #expect(try row["totalBytes"] == 9)
            #expect(try row["id"] == number)
            #expect(row.ifValid("missing") as String? == nil)
        }
    }
}
