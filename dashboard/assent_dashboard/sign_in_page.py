"""The HTML of the sign-in page."""

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in - Assent</title>
<style>
  :root { color-scheme: light dark; --ink: #1b2430; --soft: #5b6675; --line: #d5dbe3; --paper: #f6f8fb; --card: #fff;
          --accent: #2457c5; --bad: #b3261e; }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #e8ecf2; --soft: #9aa6b5; --line: #323c4a; --paper: #10151c; --card: #18202a; --accent: #7aa2ff;
            --bad: #ff8a80; }
  }
  * { box-sizing: border-box; }
  body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--paper);
         color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
  main { width: min(26rem, 100%); background: var(--card); border: 1px solid var(--line); border-radius: 12px;
         padding: 2rem; }
  h1 { margin: 0 0 .25rem; font-size: 1.5rem; }
  p { margin: 0 0 1.25rem; color: var(--soft); }
  label { display: block; font-weight: 600; margin-bottom: .35rem; }
  input { width: 100%; font: inherit; padding: .6rem .7rem; border: 1px solid var(--line); border-radius: 8px;
          background: transparent; color: inherit; }
  input:focus-visible, button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
  button { width: 100%; margin-top: 1rem; padding: .65rem; font: inherit; font-weight: 600; border: 0;
           border-radius: 8px; background: var(--accent); color: var(--card); cursor: pointer; }
  .problem { color: var(--bad); margin-bottom: 1rem; }
  small { display: block; margin-top: 1.25rem; color: var(--soft); overflow-wrap: anywhere; }
</style>
</head>
<body>
<main>
  <h1>Assent</h1>
  <p>Sign in with an operator or admin key. What you decide carries the key's name.</p>
  $problem
  <form method="post" action="/sign-in">
    <input type="hidden" name="next" value="$next">
    <input hidden type="text" autocomplete="username" value="Assent">
    <label for="key">Key</label>
    <input id="key" name="key" type="password" autocomplete="current-password" autofocus required>
    <button type="submit">Sign in</button>
  </form>
  <small>Service: $service. The key stays on the server; this browser gets a session that ends when you sign
  out.</small>
</main>
</body>
</html>
"""
