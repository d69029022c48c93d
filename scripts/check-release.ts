// Exits with code 1 where the packages cannot be published as they are, and says why. Runs before
// `npm publish`, and in release.yml:
//   node scripts/check-release.ts [tag]
import { readFile } from 'node:fs/promises'
import { type ReleaseManifest, releaseProblems } from './release-problems.ts'

const [tag] = process.argv.slice(2)
const problems = releaseProblems({
  plugin: await readManifest('../package.json'),
  console: await readManifest('../console/package.json'),
  tag,
  builtIn: process.env.GITHUB_REPOSITORY,
})
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1

async function readManifest(path: string): Promise<ReleaseManifest> {
  return JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8'))
}
