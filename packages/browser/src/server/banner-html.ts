import { isolated } from '../banner/names.ts'
import { ENGLISH_BANNER_TEXTS, type ImpersonationBannerTexts } from '../texts.ts'
import { escapeHtml, htmlOf } from './html.ts'
import type { Impersonation } from './impersonation.ts'

/** Every text of the banner. The texts are plain, never HTML, and in English by default. */
export interface BannerHtmlTexts
  extends Pick<
    ImpersonationBannerTexts,
    | 'end'
    | 'ended'
    | 'expired'
    | 'lookAndChange'
    | 'lookOnly'
    | 'nameless'
    | 'next'
    | 'ticket'
    | 'toBeReviewed'
    | 'who'
    | 'whoActed'
  > {
  /** @param values - `time` is `14:05 UTC` */
  until(values: { readonly time: string; readonly expiresAtMs: number }): string
  /** The button, once it is over. */
  readonly close: string
}

const ENGLISH_TEXTS: BannerHtmlTexts = {
  ...ENGLISH_BANNER_TEXTS,
  until: ({ time }) => `Until ${time}`,
  close: 'Close',
}

/** The options of the banner. */
export interface BannerHtmlOptions {
  /** The name of the user. @defaultValue `userId` */
  readonly userName?: string | undefined
  /** The name of the operator. @defaultValue `actor.sub` */
  readonly actorName?: string | undefined
  /** @defaultValue `ticket` of the impersonation */
  readonly ticket?: string | undefined
  /**
   * States whether the operator may change data. With `undefined`, the banner does not show it.
   */
  readonly changes?: boolean | undefined
  /** The texts that replace the English ones. */
  readonly texts?: Partial<BannerHtmlTexts> | undefined
}

/**
 * Renders the banner as HTML: the operator, the user, the ticket, the time of the end, and the
 * button that ends it. Once it is over, it states that. Names are escaped and isolated. It has the
 * class `impersonation-banner`, no style and no script.
 */
export function bannerHtml(
  impersonation: Impersonation,
  { userName, actorName, ticket, changes, ...options }: BannerHtmlOptions = {},
): string {
  const texts = { ...ENGLISH_TEXTS, ...options.texts }
  const { state, ending, expiresAtMs, endPath, isToBeReviewed } = impersonation
  const names = {
    actorName: isolated(actorName, impersonation.actor.sub) ?? texts.nameless,
    userName: isolated(userName, impersonation.userId) ?? texts.nameless,
  }
  const shownTicket = isolated(ticket, impersonation.ticket)
  const isOver = state !== 'active'
  const until = new Date(expiresAtMs).toISOString()
  const time = `${until.slice(11, 16)} UTC`
  const lines = isOver
    ? [
        paragraph(texts.whoActed(names), 'id="impersonation-who"'),
        paragraph(state === 'ended' ? texts.ended(ending) : texts.expired, 'role="alert"'),
        paragraph(texts.next),
      ]
    : [
        paragraph(texts.who(names), 'id="impersonation-who"'),
        shownTicket && paragraph(texts.ticket({ ticket: shownTicket })),
        changes !== undefined && paragraph(changes ? texts.lookAndChange : texts.lookOnly),
        isToBeReviewed && paragraph(texts.toBeReviewed),
        `<p><time datetime="${until}">${htmlOf(texts.until({ time, expiresAtMs }))}</time></p>`,
      ]
  return `<section class="impersonation-banner" aria-labelledby="impersonation-who">
${lines.filter(Boolean).join('\n')}
<form method="post" action="${escapeHtml(endPath)}"><button>${htmlOf(isOver ? texts.close : texts.end)}</button></form>
</section>`
}

function paragraph(text: string, attributes = ''): string {
  return `<p${attributes && ` ${attributes}`}>${htmlOf(text)}</p>`
}
