import type { FiledRow } from '../../store.ts'
import { searchTextOf } from '../filter.ts'
import { parseRow } from '../row-columns.ts'
import { KeyNumbers } from './append.ts'
import { parseList, parseNumber, parseText, type RedisConnection } from './connection.ts'
import { fixedSets, type RedisKeys, setScores } from './keys.ts'
import { FILED_SCRIPT } from './scripts.ts'

/** How many rows one script looks at. */
const ROWS_PER_SCRIPT = 200
/** How often a row is read again because another process changed it. */
const MAX_ATTEMPTS = 50

/** Whether each row is where {@link setScores} says, and in no other set that all rows share. */
export async function filedRows(
  redis: RedisConnection,
  keys: RedisKeys,
  pairs: readonly (readonly [id: string, text: string])[],
): Promise<FiledRow[]> {
  const filed: FiledRow[] = []
  for (let start = 0; start < pairs.length; start += ROWS_PER_SCRIPT) {
    let left = pairs.slice(start, start + ROWS_PER_SCRIPT)
    for (let attempt = 0; left.length > 0 && attempt < MAX_ATTEMPTS; attempt += 1) {
      const answers = await parseAnswers(redis, keys, left)
      for (const [index, [id]] of left.entries()) {
        if (answers[index] !== -1) filed.push({ id, isMisfiled: answers[index] === 0 })
      }
      const ids = left.flatMap(([id], index) => (answers[index] === -1 ? id : []))
      const texts = ids.length > 0 ? parseList(await redis.send('HMGET', keys.rows, ...ids)) : []
      left = ids.flatMap((id, index) => {
        const text = parseText(texts[index])
        return text === undefined ? [] : [[id, text] as const]
      })
    }
    // What changes all the time is what the console writes.
    filed.push(...left.map(([id]) => ({ id, isMisfiled: false })))
  }
  return filed
}

async function parseAnswers(
  redis: RedisConnection,
  keys: RedisKeys,
  pairs: readonly (readonly [id: string, text: string])[],
): Promise<number[]> {
  const sets = new KeyNumbers([keys.rows, keys.searches, keys.words])
  const readable = pairs.map(([id, text]) => argumentsOf(keys, sets, id, text))
  const args = readable.flatMap((each) => each ?? [])
  const replies = args.length > 0 ? parseList(await redis.run(FILED_SCRIPT, sets.keys, args)) : []
  let next = 0
  return readable.map((each) => {
    if (!each) return 0
    next += 1
    return parseNumber(replies[next - 1])
  })
}

/** @returns `undefined` for a row that cannot be read */
function argumentsOf(
  keys: RedisKeys,
  sets: KeyNumbers,
  id: string,
  text: string,
): string[] | undefined {
  try {
    const row = parseRow(text)
    if (row.id !== id) return undefined
    const scores = setScores(keys, row)
    const all = [...new Set([...fixedSets(keys), ...scores.keys()])]
    const found = all.flatMap((set) => [String(sets.numberOf(set)), String(scores.get(set) ?? '')])
    return [id, text, searchTextOf(row), String(all.length), ...found]
  } catch {
    return undefined
  }
}
