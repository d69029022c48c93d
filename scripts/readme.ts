import { readFileSync } from 'node:fs'

/** Parts of README.md for a reader who has a provider already. */
export interface ReadmeBlocks {
  /** The packages of its `npm install`, in its order. */
  readonly packages: readonly string[]
  /** The provider that is there, as JavaScript. */
  readonly before: string
  /** The same provider with every change of the diff. */
  readonly after: string
  /** The commands that ask that provider at port 3000. They need `OPERATOR_TOKEN`. */
  readonly commands: string
}

/** @throws Error if the README lacks such a block */
export function readmeBlocks(): ReadmeBlocks {
  const text = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const block = (pattern: RegExp) => {
    const [, found] = pattern.exec(text) ?? []
    if (found === undefined) throw new Error(`README.md has no block like ${pattern}`)
    return found
  }
  const diff = block(/^```diff\n(.*?)^```$/ms)
    .split('\n')
    .slice(0, -1)
  const without = (sign: string) =>
    diff
      .filter((line) => !line.startsWith(sign))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  return {
    packages: block(/^```sh\nnpm install (.+)\n```$/m).split(' '),
    before: without('+'),
    after: without('-'),
    commands: block(/^```sh\n(json\(\).*?)^```$/ms),
  }
}
