// If the registry does not have an optional package of another platform, npm leaves it out of
// package-lock.json. `npm ci` then refuses the lock file on every machine. This script adds such
// packages, with the platform from their names. Run it after every change of dependencies.
import { readFile, writeFile } from 'node:fs/promises'

interface LockedPackage {
  version?: string
  optionalDependencies?: Record<string, string>
}

const file = new URL('../package-lock.json', import.meta.url)
const lock: { packages: Record<string, LockedPackage> } = JSON.parse(await readFile(file, 'utf8'))
const PLATFORM = /-(?<os>android|darwin|linux|win32)-(?<cpu>arm64|arm|x64)(?<musl>-musl)?$/

for (const { optionalDependencies = {} } of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const path = `node_modules/${name}`
    const platform = PLATFORM.exec(name)?.groups
    if (lock.packages[path] || !platform) continue
    const { os, cpu, musl } = platform
    const libc = musl ? { libc: ['musl'] } : os === 'linux' ? { libc: ['glibc'] } : {}
    const entry = { version, cpu: [cpu], dev: true, ...libc, optional: true, os: [os] }
    lock.packages[path] = entry
    console.log(`added ${name}@${version}`)
  }
}
const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'))
const packages = Object.fromEntries(sorted)
await writeFile(file, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`)
