import type { RemovedFrom } from 'oidc-provider-impersonation-verify/format'
import type { StoredEntry } from '../../store.ts'

type Kept = Pick<StoredEntry, 'sequence' | 'text' | 'writer'>

/** What is removed, for each chain from which something is. */
export function removedFrom(all: readonly Kept[]): RemovedFrom[] {
  const chains = new Map<string, { upTo: number; still: number[] }>()
  for (const { writer, sequence, text } of all) {
    const chain = chains.get(writer) ?? { upTo: 0, still: [] }
    if (text === undefined) chain.upTo = sequence
    else chain.still.push(sequence)
    chains.set(writer, chain)
  }
  return [...chains]
    .filter(([, { upTo }]) => upTo > 0)
    .map(([writer, { upTo, still }]) => {
      return { writer, upTo, except: still.filter((sequence) => sequence < upTo) }
    })
}
