// If the registry does not have an optional package of another platform, npm leaves it out of
// package-lock.json. `npm ci` then refuses the lock file on every machine. This script adds such
// packages, with the platform from their names. Run it after every change of dependencies, with the
// folder of the lock file if that is not the root.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

interface LockedPackage {
  version?: string
  optionalDependencies?: Record<string, string>
}

const folder = process.argv[2] ?? join(import.meta.dirname, '..')
const file = join(folder, 'package-lock.json')
const lock: { packages: Record<string, LockedPackage> } = JSON.parse(await readFile(file, 'utf8'))
const PLATFORM =
  /[-/](?<os>aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)-(?<cpu>arm64|arm|x64|ia32|loong64|mips64el|ppc64|riscv64|s390x)(?<libc>-musl|-gnu|-musleabihf|-gnueabihf|-musleabi|-eabi|-msvc)?$/

for (const { optionalDependencies = {} } of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const path = `node_modules/${name}`
    const platform = PLATFORM.exec(name)?.groups
    if (lock.packages[path] || !platform) continue
    const { os, cpu } = platform
    const isMusl = platform.libc?.startsWith('-musl')
    const libc = os === 'linux' ? { libc: [isMusl ? 'musl' : 'glibc'] } : {}
    const entry = { version, cpu: [cpu], dev: true, ...libc, optional: true, os: [os] }
    lock.packages[path] = entry
    console.log(`added ${name}@${version}`)
  }
}
const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'))
const packages = Object.fromEntries(sorted)
await writeFile(file, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`)
