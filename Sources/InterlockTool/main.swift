SectionsBench.run()
