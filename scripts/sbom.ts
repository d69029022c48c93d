// Prints what a packed package brings along, as CycloneDX: the run-time dependencies, in the versions
// that npm installs now. What the deployment has itself (peer dependencies) is not in it.
//   node scripts/sbom.ts <tarball>
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const [tarball] = process.argv.slice(2)
if (tarball === undefined) throw new TypeError('say the path of a tarball')

const temporary = await mkdtemp(join(tmpdir(), 'impersonation-sbom-'))
try {
  const { stdout: packed } = await run('tar', ['-xzOf', tarball, 'package/package.json'])
  const { devDependencies: _, ...manifest } = JSON.parse(packed)
  const asPacked = JSON.stringify(manifest)
  // Packages that are released together depend on each other before npm has them.
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    const sibling = join(dirname(resolve(tarball)), `${name}-${manifest.version}.tgz`)
    if (existsSync(sibling)) manifest.dependencies[name] = `file:${sibling}`
  }
  // npm names what it describes by the folder.
  const folder = join(temporary, manifest.name)
  await mkdir(folder)
  await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'])
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  const install = ['--ignore-scripts', '--legacy-peer-deps', '--no-package-lock', '--no-audit']
  await run('npm', ['install', ...install, '--prefer-offline'], { cwd: folder })
  await writeFile(join(folder, 'package.json'), asPacked)
  const sbom = ['--sbom-format=cyclonedx', '--sbom-type=library', '--legacy-peer-deps']
  const { stdout } = await run('npm', ['sbom', ...sbom], { cwd: folder, maxBuffer: 2 ** 26 })
  process.stdout.write(stdout)
} finally {
  await rm(temporary, { recursive: true, force: true })
}
