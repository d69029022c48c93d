import type { Page } from 'playwright-core'
import { type Example, listen } from '../../../../test/example-provider/support.ts'

/** A page on another site than `localhost`, that posts what is in its query. */
export async function posting(path: string): Promise<Example> {
  const { url, close } = await listen((request, response) => {
    const { searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    const [to = '', name = '', value = ''] = ['to', 'name', 'value'].map(
      (it) => searchParams.get(it) ?? '',
    )
    response.setHeader('content-type', 'text/html')
    // The shop and the provider: redirects of a form count, too.
    response.setHeader('content-security-policy', `form-action ${to} http://127.0.0.1:*`)
    response.end(`<!doctype html><title>Support</title><form method="post" action="${to}${path}">
<input type="hidden" name="${name}" value="${value}"><button>Open the shop</button></form>`)
  })
  return { url: url.replace('localhost', '127.0.0.1'), close }
}

/** Posts one field from such a page to an application. */
export async function submitForm(
  page: Page,
  { url }: Example,
  to: string,
  name: string,
  value: string,
): Promise<void> {
  await page.goto(`${url}/?${new URLSearchParams({ to, name, value })}`)
  await page.getByRole('button', { name: 'Open the shop' }).click()
}
