import { asciiJson } from 'oidc-provider-impersonation-verify/format'
import { readSeals } from '../readable.ts'
import type { Seals } from '../sealing/seals.ts'
import type { AuditStore, FiledEntry, FiledSum } from '../store.ts'

/** The number of entries that are read at once. */
const ENTRIES_PER_READ = 1000

/**
 * All that the audit has, as JSON Lines in ASCII, for the command `verify`:
 * - the entries in their order: number, digest, and the text where it was not removed. After the last entry of an
 *   impersonation or a permit comes its sum, as it was at the same moment;
 * - the seals, each after the entries that it covers;
 * - sums whose last entry is not there: somebody changed the storage;
 * - as the last line, how many entries and seals there are.
 */
export async function* exportEverything(
  store: AuditStore,
  { seal }: Seals,
): AsyncGenerator<string> {
  await store.assertSchema()
  await seal()
  let [entries, seals, after] = [0, 0, 0]
  for (let isSealed = false; ; ) {
    const page = await store.filed({ after, limit: ENTRIES_PER_READ })
    after = page.at(-1)?.number ?? after
    entries += page.length
    yield page.map(linesOf).join('')
    for await (const { number, last, jws } of readSeals(store, seals)) {
      if (last > after) break
      seals = number
      yield line({ seal: jws })
    }
    if (page.length > 0) continue
    if (isSealed) break
    // Also of what was removed meanwhile a seal says that it may be.
    await seal(true)
    isSealed = true
  }
  yield (await store.strays()).map(sumLine).join('')
  yield line({ end: { entries, seals } })
}

const line = (value: unknown) => `${asciiJson(value)}\n`

const sumLine = ({ kind, value }: FiledSum) => line({ [kind]: value })

function linesOf({ number, digest, text, sum }: FiledEntry): string {
  return line({ entry: { number, digest, text } }) + (sum ? sumLine(sum) : '')
}
