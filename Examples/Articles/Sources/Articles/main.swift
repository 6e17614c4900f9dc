import Foundation
import Pawl

// Runs the code of the articles against a server that has `/disk.iso` and `/latest.json`: `Articles
// URL FOLDER`. `Articles URL FOLDER background` runs the code that needs the daemon.
// `scripts/check-snippets` compares the code with the articles.
let arguments = CommandLine.arguments
guard arguments.count == 3 || arguments.dropFirst(3) == ["background"],
    let base = URL(string: arguments[1])
else {
    print("usage: Articles URL FOLDER [background]")
    exit(2)
}

do {
    for article in arguments.count == 3 ? Article.all : Article.background {
        let folder = arguments[2] + "/" + article.name
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await article.run(
            Sample(
                url: base.appending(path: "disk.iso"),
                latest: base.appending(path: "latest.json"),
                folder: folder
            )
        )
        print("\(article.name) is done")
    }
} catch {
    print("failed: \(error)")
    exit(1)
}
