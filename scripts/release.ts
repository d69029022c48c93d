// Sets the address of the repository on the web, once before the first release, and commits that:
//   npm run release -- https://github.com/acme/impersonation
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { filesWithPlaceholder, PLACEHOLDER } from './check-release.ts'

/**
 * Returns a document as it is from the release on: `<!-- until the release -->` begins what goes
 * then, and `<!-- from the release on … -->` is what comes in its place.
 */
export function fromReleaseOn(text: string): string {
  return text.replaceAll(
    /<!-- until the release -->\n.*?<!-- from the release on\n(.*?)-->\n/gs,
    '$1',
  )
}

if (import.meta.main) {
  const [address = ''] = process.argv.slice(2)
  if (!/^https:\/\/[\w.-]+(\/[\w.-]+)+(?<!\.git)$/.test(address)) {
    throw new TypeError('give the https address of the repository, without .git')
  }
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' })
  if (git('status', '--porcelain') !== '') {
    throw new Error('the work tree has changes: commit them first')
  }
  for (const file of filesWithPlaceholder()) {
    const text = readFileSync(file, 'utf8').replaceAll(PLACEHOLDER, address)
    writeFileSync(file, fromReleaseOn(text))
  }
  git('commit', '--all', '--message', `chore: set the repository to ${address}`)
}
