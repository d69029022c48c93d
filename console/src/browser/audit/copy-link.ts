import { say } from '../message.tsx'
import { HOME } from '../router.tsx'
import { text, words } from '../text.tsx'

const { impersonation } = words.audit

/** Copies the permanent link of a page. @param path below {@link HOME} */
export async function copyLink(path: string): Promise<void> {
  const link = new URL(HOME + path, location.href).href
  try {
    await navigator.clipboard.writeText(link)
    say('done', impersonation.copied)
  } catch {
    say('refused', text(impersonation.notCopied, { link }))
  }
}
