import { isSafe, valid } from 'oidc-provider-impersonation/siblings'
import type { Color } from './brand.ts'

const MAX_NAME_LENGTH = 60
const MAX_LOGO_LENGTH = 65_536
const LOGO_DATA = /^data:image\/(?:png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}$/

/** Characters of a host that would begin another directive, or another policy of content. */
const POLICY_SEPARATOR = /[;,]/

const nameRule = valid<string>(
  (value) =>
    typeof value === 'string' &&
    value.trim() !== '' &&
    value.length <= MAX_NAME_LENGTH &&
    !/\p{C}|\p{Zl}|\p{Zp}/u.test(value),
  `a name of 1 to ${MAX_NAME_LENGTH} characters on one line`,
)

const logoRule = valid<string>((value) => {
  if (typeof value !== 'string' || value.length > MAX_LOGO_LENGTH) return false
  if (LOGO_DATA.test(value)) return true
  const url = URL.parse(value)
  if (url?.protocol !== 'https:' || !isSafe(url) || POLICY_SEPARATOR.test(url.host)) return false
  return url.username === '' && url.password === ''
}, `an https URL, or data:image/png;base64,… (jpeg, gif, webp or svg+xml), with at most ${MAX_LOGO_LENGTH} characters`)

const colorRule = valid<Color>(
  (value) => typeof value === 'string' && /^#[\da-f]{6}$/i.test(value),
  "a color such as '#2f3fb5'",
)

export const BRAND_RULES = {
  name: nameRule.required('the name of the firm'),
  logo: logoRule,
  color: colorRule,
}
