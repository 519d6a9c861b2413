// A CPython as WebAssembly (Pyodide), under node: imports the hot part, then runs pytest with what is given.
//
//   node tools/wasm_python.mjs PYODIDE SITE_PACKAGES ROOT PYTEST_ARGUMENT ...
//
// It has no processes, signals or file locks, so only tests of modules without these can run in it.
import { pathToFileURL } from "node:url";

const [pyodide, packages, root, ...words] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${pyodide}/pyodide.mjs`));
const python = await loadPyodide();
for (const [name, path] of [["/root", root], ["/packages", packages]]) {
  python.FS.mkdirTree(name);
  python.FS.mount(python.FS.filesystems.NODEFS, { root: path }, name);
}
python.globals.set("words", python.toPy(words));
const status = await python.runPythonAsync(`
import importlib, os, pathlib, sys, warnings
sys.dont_write_bytecode = True
sys.path[:0] = ["/root/src", "/packages"]
os.chdir("/root")
warnings.simplefilter("error")
hot = pathlib.Path("/root/src/safepoint/hot")
names = [".".join(path.relative_to(hot).with_suffix("").parts) for path in sorted(hot.rglob("*.py"))]
for name in names:
    importlib.import_module(f"safepoint.hot.{name}".removesuffix(".__init__"))
print(f"{sys.version.split()[0]} on {sys.platform}: {len(names)} modules imported", flush=True)
import pytest
int(pytest.main(list(words)))
`);
process.exit(status);
