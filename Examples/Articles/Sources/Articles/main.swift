import Foundation
import Pawl

// Runs the code of the articles against a server that has `/disk.iso` and `/latest.json`: `Articles
// URL FOLDER`. `scripts/check-snippets` compares the code with the articles.
guard CommandLine.arguments.count == 3, let base = URL(string: CommandLine.arguments[1]) else {
    print("usage: Articles URL FOLDER")
    exit(2)
}

do {
    for article in Article.all {
        let folder = CommandLine.arguments[2] + "/" + article.name
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
