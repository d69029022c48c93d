// Exits with code 1 where the packages cannot be published as they are, and says why. Runs before
// `npm publish`, and in release.yml:
//   node scripts/check-release.ts [tag]
import { fileURLToPath } from 'node:url'
import {
  filesWithPlaceholder,
  PLACEHOLDER,
  readRelease,
  releaseProblems,
} from './release-problems.ts'

const [tag] = process.argv.slice(2)
const problems = releaseProblems({
  ...(await readRelease()),
  tag,
  builtIn: process.env.GITHUB_REPOSITORY,
})
const root = fileURLToPath(new URL('..', import.meta.url))
for (const file of await filesWithPlaceholder(root)) {
  problems.push(
    `${file}: ${PLACEHOLDER} stands for the repository: npm run release -- --repository`,
  )
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length === 0 ? 0 : 1
