// What tests/dashboard/browser/audit.py says, but for names; gives one sentence for each fault.
(least) => {
  const found = [];
  const shown = (e) => e.checkVisibility({opacityProperty: true, visibilityProperty: true})
    && e.getBoundingClientRect().width > 0;
  const tell = (e) => (e.closest('[class*="st-key-"]')?.className.match(/st-key-\S+/) || [''])[0]
    + ' ' + e.outerHTML.slice(0, 90);
  const main = document.querySelector('[data-testid="stApp"]') || document.body;
  for (const e of document.querySelectorAll('[data-testid="stVegaLiteChart"], [data-testid="stDataFrameResizable"]')) {
    if (!shown(e)) continue;
    const says = (e.getAttribute('aria-label') || '').trim();
    if (says.length < least || says === 'Vega visualization')
      found.push(`it does not say what it shows (${says}): ${tell(e)}`);
  }
  for (const e of document.querySelectorAll('img'))
    if (shown(e) && !e.alt && e.getAttribute('role') !== 'presentation') found.push(`an image without words: ${tell(e)}`);

  const levels = [...main.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter(shown).map((e) => [Number(e.tagName[1]), e]);
  if (levels.filter(([level]) => level === 1).length !== 1) found.push('there is not one first heading');
  levels.forEach(([level, e], at) => {
    const before = at ? levels[at - 1][0] : 0;
    if (level > before + 1) found.push(`a heading of level ${level} after one of level ${before}: ${tell(e)}`);
  });

  const icons = '[role="img"], [data-testid="stIconMaterial"], svg';
  const words = (e) => {
    const copy = e.cloneNode(true);
    copy.querySelectorAll(icons).forEach((icon) => icon.remove());
    return /[\p{L}\p{N}\u2013%]/u.test(copy.textContent);
  };
  for (const e of main.querySelectorAll('.stMarkdownBadge, .stMarkdownColoredText, [data-testid="stMarkdownContainer"] span[style*="color"]')) {
    if (!shown(e) || words(e) || e.matches(icons)) continue;
    const block = e.closest('p, li, td, th, h1, h2, h3, h4, h5, h6, label') || e.parentElement;
    if (!e.querySelector(icons) || !words(block)) found.push(`told by its colour alone: ${tell(e)}`);
  }

  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const known = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      known.set(colour, [r, g, b, a / 255]);
    }
    return known.get(colour);
  };
  const over = (top, under, strength = 1) =>
    [0, 1, 2].map((i) => top[i] * top[3] * strength + under[i] * (1 - top[3] * strength)).concat(1);
  const chain = (e) => { const all = []; for (let at = e; at; at = at.parentElement) all.unshift(at); return all; };
  const light = (colour) => {
    const [r, g, b] = colour.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (e, ink) => {
    let ground = [255, 255, 255, 1], strength = 1;
    for (const each of chain(e)) {
      const style = getComputedStyle(each);
      strength *= Number(style.opacity);
      ground = over(rgba(style.backgroundColor), ground, strength);
    }
    const [one, two] = [light(over(rgba(ink), ground, strength)), light(ground)].sort((a, b) => b - a);
    return (one + 0.05) / (two + 0.05);
  };
  const faint = (e, ink, text) => {
    const style = getComputedStyle(e), size = parseFloat(style.fontSize);
    const needed = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const has = ratio(e, ink);
    if (has < needed - 0.005) found.push(`faint, ${has.toFixed(2)} to 1: "${text.trim().slice(0, 40)}" ${tell(e)}`);
  };
  const asleep = (e) => e.closest('[disabled], [aria-disabled="true"], [aria-hidden="true"] [data-testid="stIconMaterial"]')
    || e.closest('[data-stale="true"]');
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Set();
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement, text = walker.currentNode.data;
    if (!text.trim() || seen.has(e) || e.matches('style, script, title, noscript') || e.closest('svg, canvas')) continue;
    if (!shown(e) || asleep(e) || e.matches('[data-testid="stIconMaterial"]') || e.closest('canvas')) continue;
    seen.add(e);
    faint(e, getComputedStyle(e).color, text);
  }
  for (const e of document.querySelectorAll('input, textarea'))
    if (shown(e) && !asleep(e) && e.placeholder && !e.value)
      faint(e, getComputedStyle(e, '::placeholder').color, e.placeholder);
  for (const e of document.querySelectorAll('.role-axis text, .role-title text, .role-legend text'))
    if (shown(e) && e.textContent.trim()) faint(e, getComputedStyle(e).fill, e.textContent);
  return [...new Set(found)];
}
