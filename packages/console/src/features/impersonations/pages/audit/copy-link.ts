import { say } from '../../../../web/kit/message.tsx'
import { HOME_PATH } from '../../../../web/kit/router.tsx'
import { text, words } from '../../../../web/kit/text.tsx'

const { impersonation } = words.impersonations.audit

/** Copies the permanent link of a page. @param path below {@link HOME_PATH} */
export async function copyLink(path: string): Promise<void> {
  const link = new URL(HOME_PATH + path, location.href).href
  try {
    await navigator.clipboard.writeText(link)
    say('done', impersonation.copied)
  } catch {
    say('refused', text(impersonation.notCopied, { link }))
  }
}
