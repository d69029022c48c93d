import type { JWTVerifyGetKey } from 'jose'
import { type AuditEntry, decodeEntry, ERASED_EVENT, type Erased } from '../format/entry.ts'
import { erasedOf } from '../format/erasure.ts'
import { broken } from './chains.ts'
import type { Entry } from './parsed.ts'
import { judgeErasure } from './signatures.ts'

/** What was erased, and up to which time: as the provider signed it. */
export class Erasures {
  /** Of each impersonation or permit, the times in milliseconds since the epoch, in order. */
  readonly #untils = new Map<string, readonly number[]>()
  readonly #permits = new Set<string>()

  constructor(signed: readonly { readonly erased: Erased; readonly until: number }[]) {
    for (const { erased, until } of signed) {
      for (const id of [...erased.impersonations, ...erased.permits]) {
        this.#untils.set(
          id,
          [...(this.#untils.get(id) ?? []), until].sort((a, b) => a - b),
        )
      }
      for (const id of erased.permits) this.#permits.add(id)
    }
  }

  isPermit(id: string): boolean {
    return this.#permits.has(id)
  }

  /** Up to which time an entry of that time could be erased; `undefined` where it could not. */
  untilOf(id: string, time: number): number | undefined {
    return this.#untils.get(id)?.find((until) => time <= until)
  }
}

/** The end of the event: a search for a text that begins with a rare character is four times as fast. */
const ERASED_END = ERASED_EVENT.slice(ERASED_EVENT.indexOf('.'))

/** Whether one of these lines can say that something was erased. Most lines are not parsed twice. */
export function mayErase(lines: Buffer | string): boolean {
  return lines.includes(ERASED_END)
}

/** What a line says was erased; `undefined` for any other line. */
export function erasedIn(line: string): Erased | undefined {
  if (!mayErase(line)) return undefined
  const entry: unknown = parseJson(line)
  const text: unknown = typeof entry === 'object' && entry !== null && Reflect.get(entry, 'text')
  const reported = typeof text === 'string' ? decodeEntry(text) : undefined
  return reported?.event === ERASED_EVENT ? erasedOf(reported.erased) : undefined
}

/** Of all that lines say was erased, what the provider signed: the others are found where they stand. */
export async function signedErasures(
  all: readonly Erased[],
  keys: JWTVerifyGetKey,
  issuer: string,
): Promise<Erasures> {
  const signed: { erased: Erased; until: number }[] = []
  for (const erased of all) {
    const judged = await judgeErasure(erased, keys, issuer)
    if ('erasure' in judged) signed.push({ erased, until: judged.erasure.until })
  }
  return new Erasures(signed)
}

/** @throws Broken for an entry that says that something was erased, and the provider did not sign it */
export async function checkErasure(
  entry: Entry,
  reported: AuditEntry,
  { keys, issuer }: { readonly keys: JWTVerifyGetKey; readonly issuer: string },
  line: number,
): Promise<void> {
  const erased = erasedOf(reported.erased)
  if (!erased) throw broken('it does not say what was erased', entry, line)
  const judged = await judgeErasure(erased, keys, issuer)
  if (!('problem' in judged)) return
  const hint = judged.isKeyUnknown ? '. Give the keys of that time, too' : ''
  throw broken(`${judged.problem}${hint}`, entry, line)
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
