import PawlCore
import PawlStorage
import SystemPackage
import Testing

@Suite(.timeLimit(.minutes(5)))
struct WrittenFilesTests {
    /// As after runs with `--no-resume`, each of which has set aside the file of the one before.
    @Test(arguments: [[0, 1, 2, 3], [3, 1, 2, 0], [1, 2, 3, 0]])
    func `the partial files of all runs are removed, in any order`(order: [Int]) throws {
        let folder = try StorageFolder()
        let path = folder.path.appending("disk.iso.part")
        var files: [WrittenFile] = []
        for number in 0...3 {
            let suffix = number == 0 ? "" : ".\(number)"
            try folder.put([1], "disk.iso.part" + suffix)
            try folder.put([], "disk.iso.part.pawl" + suffix)
            let status = try #require(try path.appending(suffix: suffix).status())
            files.append(WrittenFile(.partial, at: path.string, FileStamp(status)))
        }
        try folder.put([1], "disk.iso.part.4")
        try folder.put([1], "disk.iso.part.2x")
        for index in order { try WrittenFiles.remove(files[index]) }
        #expect(folder.names == ["disk.iso.part.2x", "disk.iso.part.4"])
    }
}
