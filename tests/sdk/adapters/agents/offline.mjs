// Loaded before anything else: from then on this process reaches nothing but 127.0.0.1, and what it tries is said. A
// framework that reports to its makers would fail silently and slowly; here its process ends with code 99.
import { Socket } from "node:net";
import { createRequire } from "node:module";

const HERE = ["127.0.0.1", "::1", "localhost", undefined];

function check(host) {
  if (HERE.includes(host)) return;
  process.stderr.write(`a connection to '${host}' was tried\n`);
  process.exit(99);
}

const { connect } = Socket.prototype;
Socket.prototype.connect = function (...given) {
  const [options] = [given[0]].flat();
  check(typeof options === "object" ? options.host : given[1]);
  return connect.apply(this, given);
};

const dns = createRequire(import.meta.url)("node:dns");
const { lookup } = dns;
dns.lookup = (host, ...more) => {
  check(host);
  return lookup(host, ...more);
};
