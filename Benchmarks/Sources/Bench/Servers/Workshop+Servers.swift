/// Servers and files for several cases, created at the first use.
extension Workshop {
    /// Returns nginx on loopback, plain and over TLS.
    func nginx() throws -> Nginx {
        if let nginx = shared.nginx { return nginx }
        let authority = try Authority(in: self)
        let nginx = try Nginx(
            NginxSettings(
                plainPort: Port.free(),
                secure: (Port.free(), Port.free(), authority)
            ),
            in: self
        )
        shared.nginx = nginx
        return nginx
    }

    /// Returns the name of a served file of random bytes with the given size.
    func randomFile(mebibytes: Int) throws -> String {
        let name = "random-\(mebibytes)m"
        if shared.files.insert(name).inserted {
            let path = contents + "/" + name
            try ContentFile.makeRandom(path, bytes: mebibytes << 20, seed: UInt64(mebibytes))
        }
        return name
    }

    /// Returns the name of a served file of zeros that uses no disk space.
    func sparseFile(mebibytes: Int) throws -> String {
        let name = "sparse-\(mebibytes)m"
        if shared.files.insert(name).inserted {
            try ContentFile.makeSparse(contents + "/" + name, bytes: mebibytes << 20)
        }
        return name
    }

    /// Creates the given number of files of `kibibytes` each, in a folder of their own.
    func smallFiles(_ count: Int, kibibytes: Int) throws -> [String] {
        let folder = "small-\(count)-\(kibibytes)k"
        let names = (1...count).map { "\(folder)/f\($0)" }
        guard shared.files.insert(folder).inserted else { return names }
        try Files.makeFolder(contents + "/" + folder)
        for (index, name) in names.enumerated() {
            let seed = UInt64(index) << 32
            try ContentFile.makeRandom(contents + "/" + name, bytes: kibibytes << 10, seed: seed)
        }
        return names
    }

    /// Creates folders of files in the folder `tree`; returns the paths of the files in it.
    func tree(folders: Int, filesPerFolder: Int, kibibytes: Int) throws -> [String] {
        let root = contents + "/tree"
        let names = (1...folders).flatMap { folder in
            (1...filesPerFolder).map { "d\(folder)/f\($0)" }
        }
        guard shared.files.insert("tree").inserted else { return names }
        try Files.makeFolder(root)
        for folder in 1...folders { try Files.makeFolder(root + "/d\(folder)") }
        for (index, name) in names.enumerated() {
            let seed = UInt64(index) << 32
            try ContentFile.makeRandom(root + "/" + name, bytes: kibibytes << 10, seed: seed)
        }
        return names
    }
}

/// The servers and files that were created for several cases.
struct SharedThings {
    var nginx: Nginx?
    var files: Set<String> = []
}
