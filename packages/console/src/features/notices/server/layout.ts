import { fill } from 'oidc-provider-impersonation-verify/format'
import type { BrandSettings } from '../../../web/brand.ts'
import { contentOf, type MailContent, type MessageFacts, type Reader } from './message.ts'
import type { Notice } from './notice.ts'

/** A notice as text and as HTML. What people and applications said is plain in both. */
export function writeMessage(
  facts: MessageFacts,
  reader: Reader,
): Pick<Notice, 'html' | 'subject' | 'text'> {
  const { fact } = reader.words.notices
  const content = contentOf(facts, reader)
  return {
    subject: content.subject,
    text: mailText(content, (label, value) => fill(fact, { label, value })),
    html: mailHtml(content, reader),
  }
}

function mailText(
  { hello, sentence, facts, done, doneTitle, linkTitle, url, onlyLink }: MailContent,
  factOf: (label: string, value: string) => string,
): string {
  return [
    `${hello}\n\n${sentence}\n`,
    ...facts.map(([label, value]) => factOf(label, value)),
    ...(done.length > 0 ? [`\n${doneTitle}:`, ...done.map((line) => `- ${line}`)] : []),
    `\n${linkTitle}\n${url}\n\n${onlyLink}\n`,
  ].join('\n')
}

const FONT = 'font:16px/1.5 system-ui,-apple-system,Segoe UI,Roboto,sans-serif'
const INK = '#171a22'
const INK_SOFT = '#535a68'
const GROUND = '#f5f6f9'
const LINE = '#dcdfe6'

/**
 * As mail programs need it: one column, each style in its element, nothing that is loaded but the logo, and no
 * button that hides where it leads.
 */
function mailHtml(content: MailContent, { language, brand }: Reader): string {
  const { subject, hello, sentence, facts, done, doneTitle, linkTitle, url, onlyLink } = content
  const accent = brand?.color ?? INK
  const rows = facts.map(
    ([label, value]) =>
      html`<tr><th scope="row" style="padding:2px 16px 2px 0;text-align:left;vertical-align:top;font-weight:400;color:${INK_SOFT}">${label}</th><td style="padding:2px 0;vertical-align:top">${value}</td></tr>`,
  )
  const body = [
    html`<p style="margin:0 0 12px">${hello}</p><p style="margin:0 0 12px;font-weight:600">${sentence}</p>`,
    `<table style="margin:0 0 16px;border-collapse:collapse;${FONT}">${rows.join('')}</table>`,
    ...(done.length > 0
      ? [
          html`<p style="margin:0 0 4px">${doneTitle}:</p>`,
          `<ul style="margin:0 0 16px;padding:0 0 0 24px">${done.map((line) => html`<li>${line}</li>`).join('')}</ul>`,
        ]
      : []),
    html`<p style="margin:0 0 16px">${linkTitle}<br><a href="${url}" style="color:${accent}">${url}</a></p>`,
    html`<p style="margin:0;font-size:14px;color:${INK_SOFT}">${onlyLink}</p>`,
  ].join('\n')
  return `<!doctype html>
${html`<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${subject}</title></head>`}
<body style="margin:0;padding:24px 12px;background:${GROUND};color:${INK};${FONT}">
<div style="max-width:560px;margin:0 auto;background:#fff;border:1px solid ${LINE};border-radius:8px;overflow:hidden">
${mailHead(brand, accent)}
<div style="padding:24px;overflow-wrap:anywhere">
${body}
</div>
</div>
</body></html>
`
}

function mailHead(brand: BrandSettings | undefined, accent: string): string {
  if (!brand) return ''
  const { name, logo } = brand
  const image =
    logo === undefined
      ? ''
      : html`<img src="${logo}" alt="" height="28" style="height:28px;vertical-align:middle;margin:0 10px 0 0;border:0">`
  return `${html`<div style="padding:16px 24px;border-bottom:3px solid ${accent};font-weight:600">`}${image}${html`<span style="vertical-align:middle">${name}</span></div>`}`
}

/** Makes markup from a template. Escapes every value. */
function html(strings: TemplateStringsArray, ...values: readonly string[]): string {
  return String.raw({ raw: strings }, ...values.map(escapeText))
}

function escapeText(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
