import PawlCore
import PawlWire
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SettingFieldsTests {
    @Test func `the fields of the page's forms are those of the tables`() throws {
        let text = """
            // Made from the tables of settings by a test: PAWL_RECORD=1 writes it again.

            export const downloadFields = \(DownloadSettings.table.formFields.json);

            export const daemonFields = \(DaemonSettings.table.formFields.json);

            """
        try Snapshot.expect(text, matches: "fields.js", folder: "../../Sources/CPage/Page")
    }
}
