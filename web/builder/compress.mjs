// Brotli for many files in one process. Pages and data change with every edit and are many: a step below the best costs
// them a few hundredths in size and a tenth of the time. Reads [[source, target], ...] as JSON from the file named first.
import fs from "node:fs";
import zlib from "node:zlib";

for (const [source, target] of JSON.parse(fs.readFileSync(process.argv[2], "utf8"))) {
    const data = fs.readFileSync(source);
    const params = {
        [zlib.constants.BROTLI_PARAM_QUALITY]: /\.(html|json|jsonl|ipynb)$/.test(source) ? 9 : 11,
        [zlib.constants.BROTLI_PARAM_LGWIN]: 22,
        [zlib.constants.BROTLI_PARAM_SIZE_HINT]: data.length,
    };
    fs.writeFileSync(target, zlib.brotliCompressSync(data, { params }));
}
