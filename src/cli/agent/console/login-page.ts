/** The page signs in by itself where scripts run, and with one press of a button where they do not. */
export function loginPage(url: string, key: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<title>Loam</title>
<form method="post" action="${escaped(url)}/console/login">
<input type="hidden" name="key" value="${escaped(key)}">
<input type="hidden" name="next" value="/console/">
<button>Open the console</button>
</form>
<script>document.forms[0].submit()</script>
</html>
`
}

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
