import { readFileSync, writeFileSync } from 'node:fs'

// docs/adapter-contract.md shows parts of files in examples/recipes/: the code between `#region` and `#endregion`. Run
// this script after such a part changes.

const DOCUMENT = new URL('../docs/adapter-contract.md', import.meta.url)
const RECIPES = new URL('../examples/recipes/', import.meta.url)
const BLOCK = /(\(\.\.\/examples\/recipes\/(\S+)\)\n\n```\w+\n)[\s\S]*?```\n/g

/** Replaces each block of the text by the current code. */
export function withRecipes(markdown: string): string {
  return markdown.replace(BLOCK, (_, head: string, file: string) => {
    return `${head}${readRegion(new URL(file, RECIPES))}\n\`\`\`\n`
  })
}

function readRegion(file: URL): string {
  const [, region = ''] =
    /#region .*\n([\s\S]*?)\n *\/\/ #endregion/.exec(readFileSync(file, 'utf8')) ?? []
  return region.replaceAll(/^ {2}/gm, '')
}

if (import.meta.main) writeFileSync(DOCUMENT, withRecipes(readFileSync(DOCUMENT, 'utf8')))
