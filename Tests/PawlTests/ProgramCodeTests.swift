import Pawl
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ProgramCodeTests {
    @Test func `only file-backed code that was never writable is returned to the kernel`() {
        let code = "55d0a000-55d0c000 r-xp 00001000 fe:00 1234    /usr/local/bin/my pawld\n"
        #expect(ProgramCode.addresses(code) == 0x55d0_a000..<0x55d0_c000)
        for line in [
            "55d0a000-55d0c000 rw-p 00001000 fe:00 1234    /usr/bin/pawld\n",
            "55d0a000-55d0c000 r--p 00001000 fe:00 1234    /usr/bin/pawld\n",
            "55d0a000-55d0c000 rwxp 00001000 fe:00 1234    /usr/bin/pawld\n",
            "7ffd0000-7ffd1000 r-xp 00000000 00:00 0       [vdso]\n",
            "7ffd0000-7ffd1000 r-xp 00000000 00:00 0 \n",
            "55d0c000-55d0a000 r-xp 00001000 fe:00 1234    /usr/bin/pawld\n",
            "x-55d0a000 r-xp 00001000 fe:00 1234    /usr/bin/pawld\n", "", "\n",
        ] {
            #expect(ProgramCode.addresses(line) == nil, "\(line)")
        }
    }
}
