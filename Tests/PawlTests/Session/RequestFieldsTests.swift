import struct FoundationEssentials.URL
import Pawl
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RequestFieldsTests {
    private func request(_ fields: HTTPField...) throws -> DownloadRequest {
        var request = DownloadRequest(try #require(URL(string: "http://example.org/")))
        request.fields = fields
        return request
    }

    @Test func `a value is found in any case, and several are joined`() throws {
        let request = try request(
            HTTPField(name: "ACCEPT", value: "a"),
            HTTPField(name: "X-Own", value: "b"),
            HTTPField(name: "accept", value: "c")
        )
        #expect(request.value(forHTTPHeaderField: "Accept") == "a, c")
        #expect(request.value(forHTTPHeaderField: "x-own") == "b")
        #expect(request.value(forHTTPHeaderField: "Accept-") == nil)
    }

    @Test func `a set value replaces all of the name, in the place of the first`() throws {
        var request = try request(
            HTTPField(name: "A", value: "1"),
            HTTPField(name: "X-Own", value: "b", isForAnyOrigin: true),
            HTTPField(name: "C", value: "3"),
            HTTPField(name: "x-own", value: "d"),
            HTTPField(name: "D", value: "4")
        )
        request.setValue("new", forHTTPHeaderField: "x-OWN")
        #expect(request.fields.map(\.name) == ["A", "x-OWN", "C", "D"])
        #expect(request.fields[1].value == "new" && request.fields[1].isForAnyOrigin)
        request.setValue(nil, forHTTPHeaderField: "X-Own")
        #expect(request.fields.map(\.name) == ["A", "C", "D"])
        request.setValue("5", forHTTPHeaderField: "E")
        #expect(request.fields.last == HTTPField(name: "E", value: "5"))
        request.setValue("6", forHTTPHeaderField: "E")
        #expect(request.fields.map(\.value) == ["1", "3", "4", "6"])
    }

    @Test func `the fields of settings are changed in the same way`() throws {
        var settings = DownloadSettings()
        settings.setValue("1", forHTTPHeaderField: "X-Own")
        settings.setValue("2", forHTTPHeaderField: "x-own")
        settings.addValue("b", forHTTPHeaderField: "Accept")
        #expect(settings.fields.map(\.value) == ["2", "b"])
        #expect(settings.value(forHTTPHeaderField: "X-OWN") == "2")
        settings.setValue(nil, forHTTPHeaderField: "X-Own")
        #expect(settings.fields.map(\.name) == ["Accept"])
    }

    @Test func `an added value leaves the others`() throws {
        var request = try request(HTTPField(name: "A", value: "1"))
        request.addValue("2", forHTTPHeaderField: "a")
        #expect(request.fields.map(\.value) == ["1", "2"])
        #expect(request.value(forHTTPHeaderField: "A") == "1, 2")
    }
}
