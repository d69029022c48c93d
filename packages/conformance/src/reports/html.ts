import type { Result, Run } from '../run.ts'
import { escapeMarkup } from './escape.ts'
import { countResults } from './terminal.ts'

const PAGE_STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { line-height: 1.2; }
pre { overflow-x: auto; padding: .75rem; border: 1px solid; border-radius: .25rem; white-space: pre-wrap; overflow-wrap: anywhere; }
blockquote { margin: .5rem 0; padding-left: 1rem; border-left: .25rem solid; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid #8888; }
.failed { color: light-dark(#a40000, #ff9c9c); font-weight: bold; }
.passed { color: light-dark(#00600f, #7fd68c); }
`

/** The run as a page for people. It has no script, and needs nothing else. */
export function htmlReport(run: Run): string {
  const { passed, failed, skipped } = countResults(run)
  const seconds = (run.milliseconds / 1000).toFixed(1)
  const failures = run.results.filter(({ outcome }) => outcome === 'failed')
  const verdict =
    failed > 0
      ? `Statements that do not hold: ${failed} of ${passed + failed} that were tested.`
      : 'Every statement that was tested holds.'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${failed > 0 ? `${failed} failed` : 'Passed'}: ${escapeMarkup(run.issuer)}</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<h1>User impersonation by subject token</h1>
<p>${escapeMarkup(run.issuer)}, ${run.startedAt.toISOString()}</p>
<p class="${failed > 0 ? 'failed' : 'passed'}">${verdict}${run.isInterrupted ? ' The run was interrupted.' : ''}</p>
<p>${passed} passed, ${failed} failed, ${skipped} skipped, in ${seconds} s. Secrets and tokens are not shown.</p>
${failures.length > 0 ? `<h2>What does not hold</h2>\n${failures.map(failure).join('\n')}` : ''}
<h2>All statements</h2>
<table>
<thead><tr><th scope="col">Statement</th><th scope="col">Result</th><th scope="col">Why</th></tr></thead>
<tbody>
${run.results.map(row).join('\n')}
</tbody>
</table>
</body>
</html>
`
}

function failure({ statement, message = '', transaction }: Result): string {
  const { number, title, clause } = statement
  const seen = transaction
    ? `<h4>Request: ${escapeMarkup(transaction.what)}</h4>\n<pre>${escapeMarkup(transaction.request)}</pre>\n<h4>Answer</h4>\n<pre>${escapeMarkup(transaction.answer)}</pre>`
    : ''
  return `<section id="${number}">
<h3>${number} ${escapeMarkup(title)}</h3>
<p class="failed">${escapeMarkup(message)}</p>
<blockquote>${inCode(clause)}</blockquote>
${seen}
</section>`
}

function row({ statement, outcome, message = '' }: Result): string {
  const { number, title } = statement
  const name = escapeMarkup(`${number} ${title}`)
  const linked = outcome === 'failed' ? `<a href="#${number}">${name}</a>` : name
  return `<tr><td>${linked}</td><td class="${outcome}">${outcome}</td><td>${escapeMarkup(message)}</td></tr>`
}

/** Backticks of Markdown. */
function inCode(clause: string): string {
  return escapeMarkup(clause).replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}
