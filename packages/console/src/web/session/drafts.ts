import { useState } from 'preact/hooks'

/** The storage keys of drafts begin with this, and with the id of the person who typed. */
const KEY_PREFIX = 'draft '

let owner: string | undefined

/**
 * Drafts belong to a person. Those that another person typed in this tab are deleted.
 *
 * @param person the id of the signed-in person
 */
export function setDraftOwner(person: string): void {
  owner = person
  const own = `${KEY_PREFIX}${JSON.stringify(person)} `
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(KEY_PREFIX) && !key.startsWith(own)) sessionStorage.removeItem(key)
  }
}

/** Deletes all drafts: at sign-out. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) {
    if (key.startsWith(KEY_PREFIX)) sessionStorage.removeItem(key)
  }
}

const keyOf = (name: string) => `${KEY_PREFIX}${JSON.stringify(owner ?? '')} ${name}`

/** The stored texts of this draft; none where another version of the page stored something else. */
function readDraft<Draft extends Readonly<Record<string, string>>>(
  name: string,
  empty: Draft,
): Draft {
  const stored = sessionStorage.getItem(keyOf(name))
  if (stored === null) return empty
  const draft: Record<string, string> = { ...empty }
  const kept: unknown = JSON.parse(stored)
  for (const key of Object.keys(empty)) {
    const value = Object(kept)[key]
    if (typeof value === 'string') draft[key] = value
  }
  return { ...empty, ...draft }
}

/**
 * The texts of a form, kept in this tab while the person signs in again, and after a reload.
 *
 * @param name the form and what it is about: `act alice`
 * @param empty the texts where there is no draft
 * @returns the draft, a function that changes some of its texts, and one that deletes it
 */
export function useDraft<Draft extends Readonly<Record<string, string>>>(
  name: string,
  empty: Draft,
): [Draft, (change: Partial<Draft>) => void, () => void] {
  const [held, hold] = useState(() => ({ name, draft: readDraft(name, empty) }))
  const current = held.name === name ? held.draft : readDraft(name, empty)
  const change = (change: Partial<Draft>) => {
    // Reads what is stored, since two changes can come before the page is drawn again.
    const draft = { ...readDraft(name, current), ...change }
    sessionStorage.setItem(keyOf(name), JSON.stringify(draft))
    hold({ name, draft })
  }
  const forget = () => {
    sessionStorage.removeItem(keyOf(name))
    hold({ name, draft: empty })
  }
  return [current, change, forget]
}

/** Ids that this tab remembers for the person, as it does drafts. */
export function readIds(name: string): readonly string[] {
  const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(name)) ?? '[]')
  return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : []
}

export function keepIds(name: string, ids: readonly string[]): void {
  sessionStorage.setItem(keyOf(name), JSON.stringify(ids))
}
