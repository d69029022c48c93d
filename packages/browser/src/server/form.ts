import { isSubjectToken, SUBJECT_TOKEN_PARAMETER } from '../link.ts'

/** A form of one subject token is shorter. */
const MAX_FORM_BYTES = 4096

/**
 * The subject token in the form of the back office; nothing where it is not such a form.
 *
 * @throws TypeError where other code has read the body before
 */
export async function readSubjectToken(request: Request): Promise<string | undefined> {
  if (request.bodyUsed) {
    throw new TypeError('accept() reads the body of the request, which other code has read before')
  }
  const [type] = (request.headers.get('content-type') ?? '').split(';')
  if (type?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') return undefined
  const text = await readText(request)
  const [subjectToken, ...repeated] = new URLSearchParams(text).getAll(SUBJECT_TOKEN_PARAMETER)
  return repeated.length === 0 && isSubjectToken(subjectToken) ? subjectToken : undefined
}

/** The body, or nothing of a body that is too long. */
async function readText({ body }: Request): Promise<string> {
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  let text = ''
  let length = 0
  while (reader) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    if (length > MAX_FORM_BYTES) {
      await reader.cancel()
      return ''
    }
    text += decoder.decode(value, { stream: true })
  }
  return text
}
